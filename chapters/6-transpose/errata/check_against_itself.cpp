// Source 001 compares the output with itself: its last line is checkResult(B_host, B_host, nxy).
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "check/compare.hpp"

namespace {

// [source]
/// The comparison as it is commonly written: true unless a difference is larger than the bound.
bool agree(const std::vector<float>& host, const std::vector<float>& device) {
  for (std::size_t i = 0; i < host.size(); ++i) {
    if (std::abs(host[i] - device[i]) > 1e-8F) return false;
  }
  return true;
}

/// What the source asks: the device's result was copied over the host's reference, so that both are one.
bool source_check(const std::vector<float>& /*reference*/, const std::vector<float>& output) {
  return agree(output, output);
}
// [source]

/// Host memory in the place of a device's.
class HostMemory {
 public:
  explicit HostMemory(std::size_t bytes) : bytes_(bytes) {}
  [[nodiscard]] std::byte* data() const { return const_cast<std::byte*>(bytes_.data()); }
  static void copy_in(void* to, const void* from, std::size_t bytes, cudaStream_t = nullptr) {
    std::memcpy(to, from, bytes);
  }
  static void copy_out(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
  static void copy_within(void* to, const void* from, std::size_t bytes, cudaStream_t = nullptr) {
    std::memcpy(to, from, bytes);
  }

 private:
  std::vector<std::byte> bytes_;
};

// [repaired]
/// What the book asks: each element against the element that belongs there, bit by bit.
bool repaired_check(const std::vector<float>& reference, const std::vector<float>& output) {
  const auto at = [](const std::vector<float>& values) {
    return [&values](std::int64_t index) { return values.at(static_cast<std::size_t>(index)); };
  };
  weft::GuardedBuffer<float, HostMemory> buffer(static_cast<std::int64_t>(output.size()));
  buffer.fill(at(output));
  const weft::ArrayName named{"output", {buffer.size()}};
  return !weft::compare(buffer, named, at(reference), [](std::int64_t) { return 0.0F; });
}
// [repaired]

const std::vector<float> reference{1, 4, 2, 5, 3, 6};
const std::vector<float> right = reference;
const std::vector<float> copied{1, 2, 3, 4, 5, 6};  // somebody forgot to transpose
const std::vector<float> never_written(6, weft::poison<float>());

}  // namespace

TEST_CASE("source 001: an output compared with itself is right, whatever it holds") {
  CHECK(source_check(reference, right));
  CHECK(source_check(reference, copied));
  CHECK(source_check(reference, never_written));
}

TEST_CASE(
    "source 001, halfway repaired: compared with the reference, a NaN still passes a bound asked this way") {
  CHECK_FALSE(agree(reference, copied));
  CHECK(agree(reference, never_written));
}

TEST_CASE("repaired: only the reference's own bits pass") {
  CHECK(repaired_check(reference, right));
  CHECK_FALSE(repaired_check(reference, copied));
  CHECK_FALSE(repaired_check(reference, never_written));
}
