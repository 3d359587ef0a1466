#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include "program/measure.hpp"
#include "program/spread.hpp"

namespace weft::test {
namespace {

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
  measurement.series = {{"latencies", "cycles", {"visit", "line"}, Origin::clock, {}}};
  measurement.grids = {{{2, 3}, {605, 606, 607, 281, 282, 283}}};
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
        R"("series":{"latencies":{"unit":"cycles","axes":["visit","line"],"lengths":[2,3],)"
        R"("values":[605,606,607,281,282,283]}},)"
        R"("meter":{"sm_mhz":{"median":1980.0,"low":1980.0,"high":1980.0},"throttled_by":[]},)"
        R"("throttled":false,"fingerprint":"ab","date":"2000-01-01T00:00:00Z",)"
        R"("sample_seconds":[0.0003,0.0001,0.0002]})");
  measurement.timing.meter = {};
  CHECK(to_json(measurement).find(R"("meter")") == std::string::npos);
}

}  // namespace
}  // namespace weft::test
