#include "model/coarsening.hpp"

#include <doctest/doctest.h>

#include <array>
#include <stdexcept>

namespace weft::model {
namespace {

constexpr std::array<LoadedLatency, 2> latencies{{{1e12, 500e-9}, {4e12, 1000e-9}}};
constexpr LaunchCard card{device_limits(9, 0), 100, 1e9, latencies};

CoarsenedLaunch launch_of(std::int64_t blocks, double works, double waits) {
  return {.block = {.threads = 1024, .registers = 32},
          .blocks = blocks,
          .works = works,
          .waits = waits,
          .bytes = 0,
          .thread_bytes = 0};
}

/// Of numbers as small as seconds doctest would find all equal.
double microseconds(const CoarsenedLaunch& launch) { return 1e6 * least_seconds(card, launch); }

TEST_CASE("a multiprocessor that works all the time takes as long as its blocks' work") {
  CHECK(microseconds(launch_of(100, 1000, 0)) == doctest::Approx(1));
  CHECK(microseconds(launch_of(200, 1000, 0)) == doctest::Approx(2));
}

TEST_CASE("one block more than the multiprocessors share evenly is one more for one of them") {
  CHECK(microseconds(launch_of(201, 1000, 0)) == doctest::Approx(3));
  CHECK(microseconds(launch_of(300, 1000, 0)) == doctest::Approx(3));
}

TEST_CASE("while one block waits, the others of its multiprocessor work") {
  CHECK(microseconds(launch_of(200, 1000, 500)) == doctest::Approx(2));
  CHECK(microseconds(launch_of(100, 1000, 500)) == doctest::Approx(1.5));
  CHECK(microseconds(launch_of(200, 100, 500)) == doctest::Approx(0.6));
  CHECK(microseconds(launch_of(201, 100, 500)) == doctest::Approx(1.2));
}

TEST_CASE("bytes in flight limit the bandwidth, until there are enough") {
  CoarsenedLaunch launch = launch_of(1000, 0, 0);
  launch.bytes = 1e9;
  launch.thread_bytes = 1;  // 2048 threads on each of 100 multiprocessors
  CHECK(microseconds(launch) == doctest::Approx(1e6 * 1e9 / (204'800 / 500e-9)));
  launch.thread_bytes = 100;
  CHECK(microseconds(launch) == doctest::Approx(1e6 * 1e9 / 4e12));
  launch.blocks = 50;  // half of the multiprocessors have one, half have none
  launch.thread_bytes = 2;
  CHECK(microseconds(launch) == doctest::Approx(1e6 * 1e9 / (102'400 / 500e-9)));
}

TEST_CASE("the best of several launches is the first that takes least") {
  const std::array<CoarsenedLaunch, 4> launches{
      {launch_of(800, 100, 0), launch_of(200, 200, 0), launch_of(101, 200, 0), launch_of(50, 800, 0)}};
  CHECK(best_launch(card, launches) == 1);
  CHECK_THROWS_AS(best_launch(card, {}), std::invalid_argument);
}

TEST_CASE("what no multiprocessor holds is refused") {
  CoarsenedLaunch launch = launch_of(1, 1, 1);
  launch.block.registers = 255;
  CHECK_THROWS_AS(least_seconds(card, launch), std::invalid_argument);
}

}  // namespace
}  // namespace weft::model
