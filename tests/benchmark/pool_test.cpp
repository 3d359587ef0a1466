#include "benchmark/pool.hpp"

#include <doctest/doctest.h>

#include <string>

#include "benchmark/table.hpp"

namespace {

using weft::Json;

/// What a program writes for one measurement.
Json timed(const std::string& step, const std::vector<double>& samples) {
  return {{"step", step},
          {"kind", step == "memcpy" ? "ceiling" : "step"},
          {"shape", {1000, 1000}},
          {"parameters", Json::object()},
          {"seconds", {{"median", samples.front()}, {"low", samples.front()}, {"high", samples.front()}}},
          {"samples", samples.size()},
          {"bytes", 8000000},
          {"throttled", false},
          {"sample_seconds", samples}};
}

std::string list(const std::vector<Json>& measurements) { return Json(measurements).dump(); }

}  // namespace

TEST_CASE("rounds are pooled sample by sample") {
  weft::Pool pool;
  pool.add(list({timed("padded", {1, 2, 3}), timed("memcpy", {7})}));
  pool.add(list({timed("padded", {100, 101})}));
  const std::vector<Json> pooled = pool.measurements();
  REQUIRE(pooled.size() == 2);
  CHECK(pooled[0]["step"] == "padded");
  CHECK(pooled[0]["samples"] == 5);
  CHECK(pooled[0]["seconds"]["median"].get<double>() == doctest::Approx(3));
  CHECK(pooled[0]["seconds"]["low"].get<double>() == doctest::Approx(1.2));
  CHECK(pooled[0]["seconds"]["high"].get<double>() == doctest::Approx(100.8));
  CHECK(pooled[1]["step"] == "memcpy");
  CHECK_FALSE(pooled[0].contains("sample_seconds"));
}

TEST_CASE("throttling in one round is remembered") {
  weft::Pool pool;
  Json first = timed("padded", {1});
  first["throttled"] = true;
  pool.add(list({first}));
  pool.add(list({timed("padded", {1})}));
  CHECK(pool.measurements()[0]["throttled"] == true);
}

TEST_CASE("output that cannot be read adds nothing") {
  weft::Pool pool;
  Json without = timed("tile", {1});
  without.erase("sample_seconds");
  Json none = timed("tile", {1});
  none["sample_seconds"] = Json::array();
  CHECK_THROWS(pool.add(list({timed("padded", {1}), without})));
  CHECK_THROWS(pool.add(list({timed("padded", {1}), none})));
  CHECK_THROWS(pool.add("["));
  CHECK_THROWS(pool.add("7"));
  CHECK(pool.measurements().empty());
}

TEST_CASE("the table gives bandwidth as a share of the ceiling at the same shape") {
  weft::Pool pool;
  pool.add(list({timed("memcpy", {4e-6}), timed("padded", {8e-6})}));
  const std::string table = weft::format_table(pool.measurements());
  CHECK(table.find("memcpy  ceiling              1000x1000      4.0  4.0  4.0  2000     100.0 %") !=
        std::string::npos);
  CHECK(table.find("padded  step                 1000x1000      8.0  8.0  8.0  1000      50.0 %") !=
        std::string::npos);
}

TEST_CASE("where the ceiling does operations, the table gives them") {
  weft::Pool pool;
  Json ceiling = timed("fma-ceiling", {4e-6});
  ceiling["kind"] = "ceiling";
  ceiling["flops"] = 4'000'000;
  Json step = timed("tile", {8e-6});
  step["flops"] = 2'000'000;
  pool.add(list({ceiling, step}));
  const std::string table = weft::format_table(pool.measurements());
  CHECK(table.find("GFLOP/s") != std::string::npos);
  CHECK(table.find("1000     100.0 %") != std::string::npos);
  CHECK(table.find("250      25.0 %") != std::string::npos);
}
