#include "check/pattern.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

namespace weft::test {
namespace {

TEST_CASE("many values at once are those of each index, on either side of 2^31, too") {
  for (const std::int64_t first : {std::int64_t{0}, std::int64_t{5}, (std::int64_t{1} << 31) - 77}) {
    std::array<float, 200> values{};
    hashed_floats(3, first, first + std::ssize(values), values.data());
    for (std::int64_t i = 0; i < std::ssize(values); ++i) {
      CHECK(values[static_cast<std::size_t>(i)] == hashed_float(3, first + i));
    }
  }
}

TEST_CASE("the input's elements differ, are normal, and follow from seed and index") {
  std::vector<std::uint32_t> seen;
  constexpr std::int64_t count = 1 << 20;
  for (std::int64_t i = 0; i < count; ++i) {
    const float value = hashed_float(1, i);
    if (!std::isnormal(value)) FAIL("element ", i, " is not normal");
    seen.push_back(std::bit_cast<std::uint32_t>(value));
  }
  std::ranges::sort(seen);
  CHECK(std::ranges::adjacent_find(seen) == seen.end());
}

TEST_CASE("the input's elements change with the seed and beyond 2^31") {
  int same_seed = 0;
  int same_block = 0;
  for (std::int64_t i = 0; i < 100'000; ++i) {
    same_seed += static_cast<int>(hashed_float(1, i) == hashed_float(2, i));
    same_block += static_cast<int>(hashed_float(1, i) == hashed_float(1, i + (std::int64_t{1} << 31)));
  }
  CHECK(same_seed < 3);
  CHECK(same_block < 3);
}

}  // namespace
}  // namespace weft::test
