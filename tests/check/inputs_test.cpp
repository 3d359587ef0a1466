#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "check/pattern.hpp"
#include "program/measure.hpp"
#include "program/spread.hpp"
#include "step/shapes.hpp"

namespace weft::test {
namespace {

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

TEST_CASE("adversarial shapes hold what breaks kernels") {
  const std::vector<Shape> shapes = adversarial_shapes(64, 16);
  const auto holds = [&](const Shape& shape) { return std::ranges::count(shapes, shape) == 1; };
  for (const Shape& shape : std::vector<Shape>{{0, 0},
                                               {0, 37},
                                               {37, 0},
                                               {1, 1},
                                               {1, 1031},
                                               {1031, 1},
                                               {509, 1021},
                                               {31, 33},
                                               {32, 32},
                                               {33, 31},
                                               {63, 15},
                                               {64, 17},
                                               {65, 16},
                                               {129, 33}}) {
    CHECK_MESSAGE(holds(shape), to_string(shape));
  }
  constexpr std::int64_t grid_limit = 65535;
  const auto some = [&](auto predicate) { return std::ranges::any_of(shapes, predicate); };
  CHECK(some([](const Shape& shape) { return shape[0] / 64 > grid_limit; }));
  CHECK(some([](const Shape& shape) { return shape[1] / 16 > grid_limit; }));
  for (const Shape& shape : large_shapes()) CHECK(elements(shape) > std::int64_t{1} << 31);
}

TEST_CASE("median and percentiles of samples") {
  std::vector<double> samples;
  for (int i = 100; i >= 0; --i) samples.push_back(i);
  const Spread all = spread(samples);
  CHECK(all.median == 50);
  CHECK(all.low == 5);
  CHECK(all.high == 95);
  CHECK(spread({1, 2}).median == 1.5);
  CHECK(spread({7}).high == 7);
  CHECK_THROWS_AS(spread({}), std::invalid_argument);
}

TEST_CASE("a measurement as a line of JSON") {
  Measurement measurement;
  measurement.step = "chase";
  measurement.shape = {8191, 8209};
  measurement.parameters = {{"block", {32, 8}}};
  measurement.rated_by = Rating::accesses;
  measurement.amounts = {.bytes = 8, .accesses = 0};
  measurement.l2 = L2::kept;
  measurement.quantities = {{"latency", "cycles", Origin::clock, [](Problem&) { return 30.0; }},
                            {"dram__bytes_read.sum", "byte", Origin::profiler, {}}};
  measurement.timing.seconds = {3e-4, 1e-4, 2e-4};
  measurement.timing.quantities = {{30}, {}};
  measurement.timing.meter.sm_mhz = {1980};
  measurement.timing.meter.throttled_by.emplace();
  measurement.fingerprint = "ab";
  measurement.date = "2000-01-01T00:00:00Z";
  CHECK(to_json(measurement) ==
        R"({"step":"chase","kind":"step","shape":[8191,8209],"parameters":{"block":[32,8]},)"
        R"("seconds":{"median":0.0002,"low":0.00011,"high":0.00029},"samples":3,"rated_by":"accesses",)"
        R"("amounts":{"bytes":8,"accesses":0},"l2":"kept",)"
        R"("quantities":{"latency":{"unit":"cycles","median":30.0,"low":30.0,"high":30.0}},)"
        R"("meter":{"sm_mhz":{"median":1980.0,"low":1980.0,"high":1980.0},"throttled_by":[]},)"
        R"("throttled":false,"fingerprint":"ab","date":"2000-01-01T00:00:00Z",)"
        R"("sample_seconds":[0.0003,0.0001,0.0002]})");
  measurement.timing.meter = {};
  CHECK(to_json(measurement).find(R"("meter")") == std::string::npos);
}

}  // namespace
}  // namespace weft::test
