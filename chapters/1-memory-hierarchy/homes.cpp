#include "homes.hpp"

#include <numeric>
#include <string>

#include "step/mismatch.hpp"

namespace weft {
namespace {

/// The sum of words, from the first on; their number is even.
std::uint32_t sum_of_words(std::uint64_t seed, std::int64_t words) {
  const std::int64_t below = words / 2 * (words - 1);
  return static_cast<std::uint32_t>(5 * below + words * static_cast<std::int64_t>(seed));
}

}  // namespace

HomesProblem::HomesProblem(std::int64_t tiles)
    : tiles_(static_cast<std::uint32_t>(tiles)),
      first_(static_cast<std::size_t>(tiles) * sizeof(std::uint32_t)),
      seats_((most_seats + 1) * sizeof(uint2)) {}

Homes HomesProblem::homes() const {
  auto* const seats = reinterpret_cast<uint2*>(seats_.data());
  return {reinterpret_cast<std::uint32_t*>(first_.data()), seats,
          reinterpret_cast<std::uint32_t*>(seats + most_seats)};
}

void HomesProblem::sums_are_of(std::int64_t words, std::int64_t times) {
  sums_ = numbers(sums_of_warps() + multiprocessors());
  words_ = words;
  times_ = times;
}

Verdict HomesProblem::verify() {
  if (auto mismatch = ArrayProblem::verify()) return mismatch;
  if (sums_ == nullptr) return {};
  const Numbers written = written_numbers();
  const auto* const end = written.begin() + sums_of_warps();
  const auto got = static_cast<std::uint32_t>(std::accumulate(written.begin(), end, std::int64_t{0}));
  const std::uint32_t expected = sum_of_words(seed(), words_) * static_cast<std::uint32_t>(times_);
  if (got == expected) return {};
  return Mismatch{"sums", {0}, std::to_string(expected), std::to_string(got), "the sum of all words"};
}

std::uint32_t word_of_pieces(std::uint64_t seed, std::int64_t index) {
  return static_cast<std::uint32_t>(index * 5 + static_cast<std::int64_t>(seed));
}

model::Prediction predict_find(std::int64_t tiles) {
  const auto one = [](int lane) { return lane == 0 ? model::Element(0) : model::Element(); };
  return model::Prediction{}.global_store(tiles, 4, one).global_store(multiprocessors(), 8, one);
}

}  // namespace weft
