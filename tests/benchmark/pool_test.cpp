#include "benchmark/results/pool.hpp"

#include <doctest/doctest.h>

#include <string>

#include "benchmark/results/table.hpp"

namespace {

using weft::Json;
using weft::pooled;

/// What a program writes for one measurement.
Json timed(const std::string& step, const std::vector<double>& samples) {
  return {{"step", step},
          {"kind", step == "memcpy" ? "ceiling" : "step"},
          {"shape", {1000, 1000}},
          {"parameters", Json::object()},
          {"seconds", {{"median", samples.front()}, {"low", samples.front()}, {"high", samples.front()}}},
          {"samples", samples.size()},
          {"rated_by", "bytes"},
          {"amounts", {{"bytes", 8000000}}},
          {"throttled", false},
          {"fingerprint", "ab12"},
          {"sample_seconds", samples}};
}

Json flat(double value) { return {{"median", value}, {"low", value - 1}, {"high", value + 1}}; }

}  // namespace

TEST_CASE("rounds are pooled sample by sample") {
  const auto both = pooled({timed("padded", {1, 2, 3}), timed("memcpy", {7}), timed("padded", {100, 101})});
  REQUIRE(both.size() == 2);
  CHECK(both[0]["step"] == "padded");
  CHECK(both[0]["samples"] == 5);
  CHECK(both[0]["seconds"]["median"].get<double>() == doctest::Approx(3));
  CHECK(both[0]["seconds"]["low"].get<double>() == doctest::Approx(1.2));
  CHECK(both[0]["seconds"]["high"].get<double>() == doctest::Approx(100.8));
  CHECK(both[0]["rounds"] == Json{2.0, 100.5});
  CHECK(both[1]["step"] == "memcpy");
  CHECK(both[1]["rounds"] == Json{7.0});
  CHECK_FALSE(both[0].contains("sample_seconds"));
}

TEST_CASE("throttling in one round is remembered") {
  Json first = timed("padded", {1});
  first["throttled"] = true;
  CHECK(pooled({first, timed("padded", {1})})[0]["throttled"] == true);
}

TEST_CASE("what the meter and the step say is pooled from the rounds' spreads") {
  Json first = timed("padded", {1}), second = timed("padded", {1});
  first["meter"] = {{"watts", flat(300)}, {"joules", 10.0}, {"throttled_by", {"software power cap"}}};
  second["meter"] = {{"watts", flat(400)}, {"joules", 5.0}, {"throttled_by", Json::array()}};
  first["quantities"] = {{"latency", flat(30)}};
  first["quantities"]["latency"]["unit"] = "cycles";
  second["quantities"] = first["quantities"];
  second["quantities"]["latency"]["median"] = 32;
  const Json together = pooled({first, second})[0];
  CHECK(together["meter"]["watts"] == Json{{"median", 350.0}, {"low", 299.0}, {"high", 401.0}});
  CHECK(together["meter"]["joules"] == 15.0);
  CHECK(together["meter"]["throttled_by"] == Json{"software power cap"});
  CHECK(together["quantities"]["latency"]["median"] == 31.0);
  CHECK(together["quantities"]["latency"]["unit"] == "cycles");
}

TEST_CASE("a series is the latest round's") {
  Json first = timed("padded", {1}), second = timed("padded", {1});
  first["series"] = {{"latencies", {{"lengths", {2}}, {"values", {605, 281}}}}};
  second["series"] = {{"latencies", {{"lengths", {2}}, {"values", {606, 282}}}}};
  CHECK(pooled({first, second})[0]["series"] == second["series"]);
}

TEST_CASE("a measurement of other machine code is left out") {
  Json older = timed("padded", {1});
  older["fingerprint"] = "older";
  const auto all = pooled({older, timed("padded", {3})});
  REQUIRE(all.size() == 1);
  CHECK(all[0]["seconds"]["median"] == 3.0);
}

TEST_CASE("the table gives bandwidth as a share of the ceiling at the same shape") {
  const std::string table = weft::format_table(pooled({timed("memcpy", {4e-6}), timed("padded", {8e-6})}));
  CHECK(table.find("memcpy  ceiling              1000x1000      4.0  4.0  4.0  2000 GB/s     100.0 %") !=
        std::string::npos);
  CHECK(table.find("padded  step                 1000x1000      8.0  8.0  8.0  1000 GB/s      50.0 %") !=
        std::string::npos);
}

TEST_CASE("each is rated by what it is rated by") {
  Json ceiling = timed("fma-ceiling", {4e-6});
  ceiling.update({{"kind", "ceiling"}, {"rated_by", "operations"}, {"amounts", {{"operations", 4'000'000}}}});
  Json step = ceiling;
  step.update({{"step", "tile"}, {"kind", "step"}, {"amounts", {{"operations", 1'000'000}}}});
  Json chase = timed("chase", {4e-6});
  chase.update({{"rated_by", "accesses"}, {"amounts", {{"accesses", 100}}}});
  const std::string table = weft::format_table(pooled({ceiling, step, chase}));
  CHECK(table.find("1000 GFLOP/s     100.0 %") != std::string::npos);
  CHECK(table.find("250 GFLOP/s      25.0 %") != std::string::npos);
  CHECK(table.find("40.0 ns each\n") != std::string::npos);
}
