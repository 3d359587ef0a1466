#include "check/compare.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "host_memory.hpp"
#include "mutants.hpp"

namespace weft::test {
namespace {

template <typename T>
using HostBuffer = GuardedBuffer<T, HostMemory>;

const ArrayName row{"output", {8}};

double no_value(std::int64_t) { return std::numeric_limits<double>::quiet_NaN(); }

HostBuffer<float> counting(std::int64_t size) {
  HostBuffer<float> buffer(size);
  buffer.fill([](std::int64_t i) { return static_cast<float>(i); });
  return buffer;
}

std::optional<Mismatch> within(const HostBuffer<float>& buffer, double bound) {
  return compare_within(
      buffer, row, [](std::int64_t i) { return static_cast<double>(i); }, [=](std::int64_t) { return bound; },
      no_value);
}

TEST_CASE("a bound is met or not") {
  HostBuffer<float> buffer = counting(8);
  CHECK_FALSE(within(buffer, 0).has_value());
  buffer.data()[3] = 3.5F;
  CHECK_FALSE(within(buffer, 0.5).has_value());
  const Mismatch mismatch = required(within(buffer, 0.49));
  CHECK(mismatch.index == Numbers{3});
}

TEST_CASE("neither NaN nor infinity is within any bound") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const float bad : {std::nanf(""), infinity, -infinity, poison<float>(), guard<float>()}) {
    HostBuffer<float> buffer = counting(8);
    buffer.data()[7] = bad;
    CHECK(within(buffer, std::numeric_limits<double>::max()).has_value());
  }
}

TEST_CASE("a NaN in the reference or in the bound passes nothing") {
  const HostBuffer<float> buffer = counting(8);
  const auto one = [](std::int64_t) { return 1.0; };
  CHECK(compare_within(buffer, row, no_value, one, no_value).has_value());
  CHECK(compare_within(buffer, row, one, no_value, no_value).has_value());
}

TEST_CASE("a bit counts where moves are compared") {
  HostBuffer<float> buffer(8);
  buffer.fill([](std::int64_t) { return 0.0F; });
  buffer.data()[5] = -0.0F;
  const auto zero = [](std::int64_t) { return 0.0F; };
  const Mismatch mismatch = required(compare(buffer, row, zero, zero));
  CHECK(mismatch.describe() == "output[5]: expected 0 (0x00000000), got -0 (0x80000000)");
}

TEST_CASE("what a guard holds is recognized in the output") {
  HostBuffer<float> buffer = counting(8);
  buffer.data()[2] = buffer.data()[-1];
  const Mismatch mismatch =
      required(compare(buffer, row, [](std::int64_t i) { return static_cast<float>(i); }, no_value));
  CHECK(mismatch.hint == "read out of bounds: this is what guard zones hold");
}

TEST_CASE("the whole of both guards is looked at") {
  constexpr std::int64_t guard = HostBuffer<float>::guard_elements;
  const auto same = [](std::int64_t i) { return static_cast<float>(i); };
  for (const std::int64_t offset : {-guard, std::int64_t{-1}, std::int64_t{8}, 8 + guard - 1}) {
    HostBuffer<float> buffer = counting(8);
    buffer.data()[offset] = 1;
    const Mismatch mismatch = required(compare(buffer, row, same, same));
    CHECK(mismatch.index == Numbers{offset});
    CHECK(within(buffer, 0).has_value());
    CHECK(unchanged(buffer, row, same).has_value());
  }
}

TEST_CASE("poison covers every element and is a signalling NaN") {
  for (const std::int64_t size : {1, 3, 16383, 16384, 16385, 100000}) {
    HostBuffer<float> buffer = counting(size);
    buffer.poison();
    const auto poisoned = [](std::int64_t) { return poison<float>(); };
    CHECK_FALSE(compare(buffer, {"output", {size}}, poisoned, no_value).has_value());
  }
  constexpr std::uint32_t quiet = 1U << 22;
  for (const float pattern : {poison<float>(), guard<float>()}) {
    CHECK(std::isnan(pattern));
    CHECK((std::bit_cast<std::uint32_t>(pattern) & quiet) == 0);
  }
  constexpr std::uint64_t quiet_double = std::uint64_t{1} << 51;
  for (const double pattern : {poison<double>(), guard<double>()}) {
    CHECK(std::isnan(pattern));
    CHECK((std::bit_cast<std::uint64_t>(pattern) & quiet_double) == 0);
  }
}

TEST_CASE("an empty buffer has guards, too") {
  HostBuffer<float> buffer(0);
  buffer.poison();
  const auto nothing = [](std::int64_t) { return 0.0F; };
  CHECK_FALSE(compare(buffer, {"output", {0, 3}}, nothing, nothing).has_value());
  buffer.data()[0] = 0;
  CHECK(compare(buffer, {"output", {0, 3}}, nothing, nothing).has_value());
}

TEST_CASE("of several wrong elements in a large buffer the first is reported") {
  constexpr std::int64_t size = chunk_elements + 1'000'000;  // two chunks, several threads
  HostBuffer<float> buffer(size);
  const auto expected = [](std::int64_t i) { return hashed_float(3, i); };
  buffer.fill(expected);
  for (const std::int64_t bad : {size - 1, chunk_elements + 5, chunk_elements - 1}) {
    buffer.data()[bad] = 0;
    const Mismatch mismatch = required(compare(buffer, {"output", {size}}, expected, no_value));
    CHECK(mismatch.index == Numbers{bad});
  }
}

TEST_CASE("what a reference needs for a range is prepared before it is asked for it") {
  constexpr std::int64_t size = chunk_elements + 8;
  const HostBuffer<float> buffer = counting(size);
  std::int64_t from = 0;
  std::int64_t to = 0;
  const auto prepare = [&](std::int64_t first, std::int64_t last) { from = first, to = last; };
  const auto reference = [&](std::int64_t i) { return i >= from && i < to ? static_cast<float>(i) : -1.0F; };
  const auto zero = [](std::int64_t) { return 0.0; };
  CHECK_FALSE(compare_within(buffer, {"output", {size}}, reference, zero, no_value, prepare).has_value());
  CHECK(compare_within(buffer, {"output", {size}}, reference, zero, no_value).has_value());
}

TEST_CASE("double precision and integers are compared as well") {
  HostBuffer<double> doubles(8);
  doubles.fill([](std::int64_t i) { return 1.0 / static_cast<double>(i + 1); });
  const auto nearly = [](std::int64_t i) { return std::nextafter(1.0 / static_cast<double>(i + 1), 2.0); };
  CHECK(compare(doubles, row, nearly, no_value).has_value());
  HostBuffer<std::int32_t> integers(8);
  integers.fill([](std::int64_t i) { return static_cast<std::int32_t>(i); });
  const Mismatch mismatch = required(compare(
      integers, row, [](std::int64_t i) { return static_cast<std::int32_t>(i == 6 ? 7 : i); }, no_value));
  CHECK(mismatch.describe() == "output[6]: expected 7, got 6");
}

TEST_CASE("a size that does not fit is refused") {
  CHECK_THROWS_AS(HostBuffer<float>(-1), std::bad_array_new_length);
  CHECK_THROWS_AS(HostBuffer<float>(std::numeric_limits<std::int64_t>::max() / 2), std::bad_array_new_length);
}

}  // namespace
}  // namespace weft::test
