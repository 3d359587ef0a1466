#include "model/latency_under_load.hpp"

#include <doctest/doctest.h>

#include <array>
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

TEST_CASE("a launch takes its turns, what it takes once, and what it drives out of the L2") {
  constexpr LaunchCosts costs{2e-6, 4e6, 4e12};  // 4 MB in a microsecond
  CHECK(bandwidth_of_launch(1e12, 8e6, costs) == doctest::Approx(8e6 / (8e-6 + 2e-6 + 1e-6)));
  CHECK(bandwidth_of_launch(1e12, 2e6, costs) == doctest::Approx(2e6 / (2e-6 + 2e-6 + 0.5e-6)));
  CHECK(bandwidth_of_launch(1e12, 1e12, costs) == doctest::Approx(1e12).epsilon(1e-5));
}

}  // namespace
}  // namespace weft::model
