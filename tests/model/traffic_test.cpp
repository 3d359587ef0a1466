#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>

#include "model/traffic.hpp"

using namespace weft::model;

namespace {

// Each float of an 8192 x 8192 matrix is read once and written once.
constexpr std::int64_t matrix_bytes = std::int64_t{8192} * 8192 * 4;
constexpr Traffic transpose{.read = matrix_bytes, .written = matrix_bytes};
static_assert(transpose.total() == 536'870'912);

TEST_CASE("at the floor's time the effective bandwidth is the ceiling") {
  const double ceiling = 4.0e12;
  CHECK(floor_seconds(transpose, ceiling) == doctest::Approx(134.217728e-6));
  CHECK(bandwidth(transpose, floor_seconds(transpose, ceiling)) == doctest::Approx(ceiling));
}

TEST_CASE("the published bandwidths of a 4096 x 4096 transpose follow from their times") {
  // A GTX 1050 Ti: 0.001610 s were published as 83.37 GB/s, 0.004202 s as 31.94 GB/s.
  const std::int64_t bytes = std::int64_t{4096} * 4096 * 4;
  const Traffic published{.read = bytes, .written = bytes};
  CHECK(bandwidth(published, 0.001610) / 1e9 == doctest::Approx(83.37).epsilon(0.001));
  CHECK(bandwidth(published, 0.004202) / 1e9 == doctest::Approx(31.94).epsilon(0.001));
}

TEST_CASE("a rate or a time that is not positive is refused") {
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK_THROWS_AS(floor_seconds(transpose, bad), std::invalid_argument);
    CHECK_THROWS_AS(bandwidth(transpose, bad), std::invalid_argument);
  }
}

}  // namespace
