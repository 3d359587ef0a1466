#include "large_memory.hpp"

#include <algorithm>
#include <vector>

#include "check/compare.hpp"

namespace weft {
namespace {

std::vector<std::uint32_t> words_of(std::uint64_t seed, std::int64_t bytes) {
  std::vector<std::uint32_t> words(static_cast<std::size_t>(bytes / 4));
  for (std::int64_t i = 0; i < std::ssize(words); ++i)
    words[static_cast<std::size_t>(i)] = LargeMemory::word(seed, 4 * i);
  return words;
}

}  // namespace

void LargeMemory::fill(std::uint64_t seed) {
  const std::vector<std::uint32_t> words = words_of(seed, first_);
  DeviceMemory::copy_in(memory_.data(), words.data(), static_cast<std::size_t>(first_));
  for (std::int64_t done = first_; done < bytes_; done *= 2) {
    DeviceMemory::copy_within(memory_.data() + done, memory_.data(), static_cast<std::size_t>(done));
  }
}

Verdict LargeMemory::changed(std::uint64_t seed) const {
  const std::vector<std::uint32_t> expected = words_of(seed, first_);
  std::vector<std::uint32_t> found(expected.size());
  DeviceMemory::copy_out(found.data(), memory_.data(), static_cast<std::size_t>(first_));
  const auto [bad, good] = std::ranges::mismatch(found, expected);
  if (bad == found.end()) return std::nullopt;
  return Mismatch{
      "memory", {bad - found.begin()}, value_text(*good), value_text(*bad), "an input was written"};
}

void LargeMemoryProblem::fill(std::uint64_t seed) {
  memory_.fill(seed);
  ArrayProblem::fill(seed);
}

Verdict LargeMemoryProblem::verify() {
  if (auto wrong = ArrayProblem::verify()) return wrong;
  return memory_.changed(seed());
}

}  // namespace weft
