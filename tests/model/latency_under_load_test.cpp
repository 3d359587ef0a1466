#include "model/latency_under_load.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <stdexcept>

namespace weft::model {
namespace {

constexpr std::array<LoadedLatency, 3> curve{{{1e12, 400e-9}, {3e12, 500e-9}, {4e12, 1000e-9}}};

TEST_CASE("while the latency stays, twice the bytes are twice the bandwidth") {
  CHECK(bandwidth_with(curve, 0) == 0);
  CHECK(bandwidth_with(curve, 100e3) == doctest::Approx(0.25e12));
  CHECK(bandwidth_with(curve, 200e3) == doctest::Approx(0.5e12));
}

TEST_CASE("the points of a curve are met") {
  for (const LoadedLatency& point : curve) {
    CHECK(bandwidth_with(curve, point.bandwidth * point.latency) == doctest::Approx(point.bandwidth));
  }
}

TEST_CASE("between two points the latency grows evenly") {
  const double bandwidth = bandwidth_with(curve, 2e12 * 450e-9);
  CHECK(bandwidth == doctest::Approx(2e12));
}

TEST_CASE("more bytes than the last point's do not help") { CHECK(bandwidth_with(curve, 1e9) == 4e12); }

TEST_CASE("a curve that does not rise is refused") {
  constexpr std::array<LoadedLatency, 2> falling{{{2e12, 500e-9}, {3e12, 300e-9}}};
  CHECK_THROWS_AS(bandwidth_with(falling, 1), std::invalid_argument);
  CHECK_THROWS_AS(bandwidth_with({}, 1), std::invalid_argument);
}

TEST_CASE("the longest of one latency is a latency, and of many the longest there is") {
  constexpr std::array<std::int64_t, 4> counts{0, 1, 0, 1};  // 15 or 35
  CHECK(longest_of(counts, 10, 1) == doctest::Approx(25));
  CHECK(longest_of(counts, 10, 2) == doctest::Approx(15 * 0.25 + 35 * 0.75));
  CHECK(longest_of(counts, 10, 100) == doctest::Approx(35));
}

TEST_CASE("the longest of nothing is refused") {
  constexpr std::array<std::int64_t, 2> none{};
  constexpr std::array<std::int64_t, 1> one{1};
  CHECK_THROWS_AS(longest_of(none, 10, 1), std::invalid_argument);
  CHECK_THROWS_AS(longest_of(one, 10, 0), std::invalid_argument);
}

}  // namespace
}  // namespace weft::model
