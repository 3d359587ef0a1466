#include "benchmark/results/results.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace {

using weft::Json;
using weft::Results;

Json measurement(const std::string& step, int block, double median) {
  return {{"step", step},
          {"kind", "step"},
          {"shape", {8192, 8192}},
          {"parameters", {{"block", {block, 8}}}},
          {"seconds", {{"median", median}, {"low", median / 2}, {"high", median * 2}}},
          {"samples", 150},
          {"rated_by", "bytes"},
          {"amounts", {{"bytes", 536870912}}},
          {"l2", "cold"},
          {"fingerprint", "0123abcd"}};
}

Json counter(const std::string& step, int requests) {
  return {{"step", step},
          {"shape", {1024, 1024}},
          {"parameters", {{"block", {32, 8}}}},
          {"metrics", {{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", requests}}}};
}

Results some_results() {
  Results results(6, {{"name", "NVIDIA H200"}});
  results.provenance = {{"driver", "580.1"}, {"ecc", nullptr}};
  results.measurements = {measurement("padded", 32, 1e-4), measurement("read-rows", 16, 2e-4)};
  results.counters = {counter("padded", 32768)};
  return results;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// The message with which a text is refused.
std::string refusal(const std::string& text) {
  try {
    weft::parse_results(text, "chapter6.json");
  } catch (const weft::BadResults& refused) {
    return refused.what();
  }
  return "accepted";
}

/// The line of the text on which a word first stands.
std::string line_with(const std::string& text, const std::string& word) {
  const std::string before = text.substr(0, text.find(word));
  return std::to_string(1 + std::count(before.begin(), before.end(), '\n'));
}

}  // namespace

TEST_CASE("results come back as they were written") {
  const Results written = some_results();
  const std::string text = weft::format_results(written);
  const Results read = weft::parse_results(text, "chapter6.json");
  CHECK(read.chapter == 6);
  CHECK(read.gpu == written.gpu);
  CHECK(read.provenance == written.provenance);
  CHECK(read.measurements == written.measurements);
  CHECK(read.counters == written.counters);
  CHECK(weft::format_results(read) == text);
}

TEST_CASE("results without a measurement are a valid file") {
  const Results empty(6, {{"name", "NVIDIA H200"}});
  CHECK(weft::parse_results(weft::format_results(empty), "chapter6.json").measurements.empty());
}

TEST_CASE("each measurement has a line of its own") {
  const std::string text = weft::format_results(some_results());
  CHECK(line_with(text, "\"read-rows\"") != line_with(text, "\"padded\""));
}

TEST_CASE("a file that cannot be used is refused by name, with the line") {
  const std::string good = weft::format_results(some_results());
  const auto starts = [](const std::string& message, const std::string& line) {
    return message.starts_with("chapter6.json:" + line + ": ");
  };

  SUBCASE("cut off") {
    const std::string cut = good.substr(0, good.find("read-rows"));
    CHECK(starts(refusal(cut), line_with(good, "read-rows")));
  }
  SUBCASE("a stray character") {
    const std::string stray = replaced(good, "\"kind\":\"step\"", "\"kind\":@\"step\"");
    CHECK(starts(refusal(stray), line_with(stray, "@")));
  }
  SUBCASE("empty") { CHECK(starts(refusal(""), "1")); }
  SUBCASE("foreign") {
    CHECK(starts(refusal("[1, 2]"), "1"));
    CHECK(starts(refusal("{\"name\": \"another\"}"), "1"));
  }
  SUBCASE("newer") {
    const std::string newer = replaced(good, "\"schema\": 2", "\"schema\": 3");
    CHECK(starts(refusal(newer), line_with(newer, "\"schema\"")));
    CHECK(refusal(newer).find("schema 3") != std::string::npos);
    CHECK(refusal(replaced(good, "\"schema\": 2", "\"schema\": 1")).find("earlier book") !=
          std::string::npos);
  }
  SUBCASE("no GPU") {
    const std::string without = replaced(good, "\"name\": \"NVIDIA H200\"", "\"card\": \"NVIDIA H200\"");
    CHECK(starts(refusal(without), "1"));
    CHECK(refusal(without).find("name") != std::string::npos);
  }
  SUBCASE("an entry that does not say what it is of") {
    const std::string without = replaced(good, "\"shape\":[8192,8192]", "\"size\":[8192,8192]");
    CHECK(starts(refusal(without), "1"));
    CHECK(refusal(without).find("shape") != std::string::npos);
  }
}

TEST_CASE("a file that is not there is refused by name") {
  CHECK_THROWS_WITH_AS(weft::read_results("/nowhere/chapter6.json"), "/nowhere/chapter6.json: cannot be read",
                       weft::BadResults);
}

TEST_CASE("merging replaces the same step, shape and parameters, and keeps the rest") {
  Results results = some_results();
  Results newer(6, {{"name", "NVIDIA H200"}});
  newer.provenance = {{"driver", "590.2"}};
  newer.measurements = {measurement("padded", 32, 9e-5), measurement("padded", 16, 8e-5)};
  newer.counters = {counter("padded", 4), counter("tile", 5)};
  results.merge(newer);
  REQUIRE(results.measurements.size() == 3);
  CHECK(results.measurements[0] == newer.measurements[0]);
  CHECK(results.measurements[1] == some_results().measurements[1]);
  CHECK(results.measurements[2] == newer.measurements[1]);
  CHECK(results.counters == newer.counters);
  CHECK(results.provenance == newer.provenance);
}

TEST_CASE("the order of parameters makes no difference") {
  Json one = counter("padded", 1);
  Json other = counter("padded", 2);
  one["parameters"] = {{"block", {32, 8}}, {"stride", {2}}};
  other["parameters"] = {{"stride", {2}}, {"block", {32, 8}}};
  CHECK(weft::identity(one) == weft::identity(other));
}

TEST_CASE("a GPU's folder") {
  CHECK(weft::folder_name("NVIDIA H200") == "nvidia-h200");
  CHECK(weft::folder_name("NVIDIA GeForce GTX 1050 Ti") == "nvidia-geforce-gtx-1050-ti");
  CHECK(weft::folder_name("../a (b)") == "a-b");
  CHECK(weft::folder_name("") == "unknown");
}

TEST_CASE("shapes and parameters as text") {
  CHECK(weft::shape_text({8191, 8209}) == "8191x8209");
  CHECK(weft::parameters_text({{"block", {32, 8}}, {"stride", {2}}}) == "block=32x8 stride=2");
  CHECK(weft::parameters_text(Json::object()).empty());
}
