#include "benchmark/runner/journal.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "benchmark/system/process.hpp"

namespace {

using weft::Json;

weft::Launch launch(const std::string& step, const std::string& fingerprint = "ab12") {
  return {.what = {{"step", step}, {"shape", {8, 8}}, {"parameters", Json::object()}},
          .fingerprint = fingerprint,
          .command = {},
          .metrics = {}};
}

weft::Chapter chapter(const weft::Launch& of) {
  return {6, {{.path = "13_padded", .timed = {of}, .counted = {of}}}};
}

/// What a program appends for one measurement.
Json timed(const std::string& step, const std::string& fingerprint = "ab12") {
  Json line = launch(step).what;
  line.update({{"kind", "step"}, {"fingerprint", fingerprint}, {"sample_seconds", {1.0, 3.0}}});
  return line;
}

}  // namespace

TEST_CASE("a journal keeps what was measured, and from what") {
  const weft::TemporaryFolder folder;
  const auto file = folder.path() / "chapter6.journal";
  {
    weft::Journal journal(file, chapter(launch("padded")), "0123abc");
    CHECK(journal.rounds(launch("padded")) == 0);
    std::ofstream(file, std::ios::app) << timed("padded") << '\n';
    journal.read();
    CHECK(journal.rounds(launch("padded")) == 1);
    CHECK(journal.rounds(launch("padded", "other")) == 0);
    CHECK_FALSE(journal.is_counted(launch("padded")));
    Json counters = launch("padded").what;
    counters.update({{"fingerprint", "ab12"}, {"metrics", {{"gpu__time_duration.sum", 7}}}});
    journal.add(counters);
    journal.read();
    CHECK(journal.is_counted(launch("padded")));
  }
  weft::Journal journal(file, chapter(launch("padded")), "4567def");
  std::ofstream(file, std::ios::app) << timed("padded") << '\n';
  journal.read();
  CHECK(journal.rounds(launch("padded")) == 2);
  REQUIRE(journal.counters().size() == 1);
  CHECK(journal.counters()[0]["commit"] == "0123abc");
  const auto measurements = journal.measurements();
  REQUIRE(measurements.size() == 1);
  CHECK(measurements[0]["commit"] == "4567def");
  CHECK(measurements[0]["rounds"] == Json{2.0, 2.0});
  journal.remove();
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("what is cut off, damaged or not of today is dropped") {
  const weft::TemporaryFolder folder;
  const auto file = folder.path() / "chapter6.journal";
  Json without = timed("padded");
  without.erase("sample_seconds");
  const std::string whole = timed("padded").dump();
  std::ofstream(file) << whole << "\n[]\n7\n"
                      << without << '\n'
                      << timed("padded", "older") << '\n'
                      << timed("gone") << '\n'
                      << whole.substr(0, whole.size() / 2);
  const weft::Journal journal(file, chapter(launch("padded")), "0123abc");
  CHECK(journal.rounds(launch("padded")) == 1);
  CHECK(journal.measurements().size() == 1);
  CHECK(weft::read_text(file) == whole + "\n{\"commit\":\"0123abc\"}\n");
}

TEST_CASE("a journal that cannot be written is an error") {
  const weft::TemporaryFolder folder;
  const auto file = folder.path() / "a file";
  std::ofstream(file) << "";
  CHECK_THROWS(weft::Journal(file / "chapter6.journal", chapter(launch("padded")), ""));
}
