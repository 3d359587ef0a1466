// A bus with half the clock: half the bandwidth, half of R, and half as many banks to fill it, or nearly.
//
// Exercise: The bus runs at half the clock, and the cells stay as slow as they were. How many banks does a
// channel need then, and how much of the bus does one bank fill?
#include "model/bus.hpp"

#include "problem.hpp"

namespace {
// [solution]
constexpr model::BurstTiming before{20, 1};
constexpr model::BurstTiming after{10, 1};  // the same nanoseconds of latency are half as many cycles

static_assert(model::banks_that_fill(before) == 21);
static_assert(model::banks_that_fill(after) == 11);
static_assert(model::share_of_bus(after, 1) == model::Share{1, 11});
// [solution]
}  // namespace

void weft::register_steps() { tests_alone(); }

TEST_CASE("one bank gives nearly as many bytes per second as before: its cells are as slow as they were") {
  constexpr model::Bus fast{64, 1'000'000'000, 2};
  constexpr model::Bus slow{64, 500'000'000, 2};
  const double was = model::share_of_bus(before, 1).value() * static_cast<double>(fast.bandwidth());
  const double is = model::share_of_bus(after, 1).value() * static_cast<double>(slow.bandwidth());
  CHECK(is / was == doctest::Approx(21.0 / 22));
}
