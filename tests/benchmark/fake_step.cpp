// Stands in for a step's program where there is no GPU: its times are invented, and it writes them as
// programs do. What it does is in files beside it: NAME.status (exit status of --measure), NAME.checked (exit
// status of its checks), NAME.fingerprint, NAME.profiler (a profiler's metric that it reports); and `stop`:
// after so many measurements in all, it interrupts who called it while it takes the next. It notes in `log`
// what it begins.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <list>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "program/measure.hpp"
#include "step/text.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

fs::path self;

std::string note(const char* ending, const std::string& otherwise = "") {
  std::ifstream file(self.string() + ending);
  std::string text;
  return std::getline(file, text) ? text : otherwise;
}

void log(const std::string& line) {
  std::ofstream(self.parent_path() / "log", std::ios::app) << self.filename().string() + ' ' + line + '\n'
                                                           << std::flush;
}

/// A name that lives as long as the program.
weft::Name kept(std::string name) {
  static std::list<std::string> names;
  return names.emplace_back(std::move(name)).c_str();
}

std::vector<weft::Variant> variants() {
  std::vector<weft::Variant> all;
  for (const std::int64_t block : {32, 16, 8}) {
    weft::Variant variant;
    std::string step = self.filename().string().substr(3);
    std::ranges::replace(step, '_', '-');
    variant.step = kept(std::move(step));
    if (variant.step == "memcpy") variant.kind = weft::Kind::ceiling;
    if (variant.step == "library") variant.kind = weft::Kind::peer;
    variant.parameters = {{"block", {block}}};
    variant.is_default = block == 32;
    variant.curve = block == 8;
    variant.measured = {{8, 8}, {16, 16}};
    variant.counted = {{4, 4}, {8, 8}};
    variant.quantities = {{"latency", "cycles", weft::Origin::clock, [](weft::Problem&) { return 7.0; }}};
    if (!note(".profiler").empty())
      variant.quantities.push_back({kept(note(".profiler")), "1", weft::Origin::profiler, {}});
    all.push_back(variant);
  }
  return all;
}

int describe() {
  ordered_json list = ordered_json::array();
  for (const weft::Variant& variant : variants()) {
    ordered_json runs = ordered_json::array();
    for (const weft::Shape& shape : {weft::Shape{8, 8}, {16, 16}, {4, 4}}) {
      runs.push_back({{"shape", shape},
                      {"arguments",
                       {"--once", weft::to_string(shape), "--with",
                        weft::to_string(weft::by_name(variant.parameters))}}});
      if (variant.kind != weft::Kind::peer) runs.back()["fingerprint"] = note(".fingerprint", "ab12");
    }
    ordered_json quantities = ordered_json::array();
    for (const weft::Quantity& quantity : variant.quantities) {
      quantities.push_back({{"name", quantity.name.text()},
                            {"unit", quantity.unit.text()},
                            {"from", to_string(quantity.origin)}});
    }
    list.push_back({{"step", variant.step.text()},
                    {"kind", to_string(variant.kind)},
                    {"parameters", weft::by_name(variant.parameters)},
                    {"quantities", quantities},
                    {"measured", variant.measured},
                    {"counted", variant.counted},
                    {"runs", runs}});
    if (variant.curve) list.back()["curve"] = true;
  }
  std::cout << ordered_json{{"program", self.filename().string()}, {"variants", list}} << '\n';
  return 0;
}

/// Interrupts the caller if it is time, and waits for its end.
void stop(const fs::path& journal) {
  std::ifstream file(self.parent_path() / "stop");
  std::ptrdiff_t after = 0;
  if (!(file >> after)) return;
  std::ifstream lines(journal);
  std::ptrdiff_t taken = 0;
  for (std::string line; std::getline(lines, line);)
    taken += line.find("sample_seconds") != line.npos ? 1 : 0;
  if (taken != after) return;
  kill(getppid(), SIGINT);
  std::this_thread::sleep_for(std::chrono::seconds(60));
}

weft::Measurement invented(const weft::Variant& variant, const weft::Shape& shape) {
  weft::Measurement m;
  m.step = variant.step.text();
  m.kind = variant.kind;
  m.shape = shape;
  m.parameters = weft::by_name(variant.parameters);
  m.amounts = {.bytes = 8 * shape[0] * shape[1], .operations = 0};
  m.quantities = variant.quantities;
  m.timing.seconds = {1e-6, 2e-6, 3e-6};
  m.timing.quantities = {{30, 32, 34}, {}};
  m.timing.meter = {.sm_mhz = {1980, 1965},
                    .memory_mhz = {3201},
                    .watts = {300, 400},
                    .celsius = {40},
                    .joules = 12.5,
                    .throttled_by = std::vector<std::string>{"software power cap"}};
  m.fingerprint = variant.kind == weft::Kind::peer ? "" : note(".fingerprint", "ab12");
  m.date = "2026-11-22T00:00:00Z";
  return m;
}

int measure(const std::vector<std::string>& arguments) {
  const auto value = [&](const char* option) { return *std::next(std::ranges::find(arguments, option)); };
  const bool no_curves = std::ranges::find(arguments, "--no-curves") != arguments.end();
  const auto is_wanted = [&](const weft::Shape& shape) {
    return std::ranges::find(arguments, "--shape") == arguments.end() ||
           std::ranges::find(arguments, weft::to_string(shape)) != arguments.end();
  };
  int skipped = std::stoi(value("--skip"));
  for (const weft::Variant& variant : variants()) {
    if (variant.curve && no_curves) continue;
    for (const weft::Shape& shape : variant.measured) {
      if (!is_wanted(shape) || skipped-- > 0) continue;
      log("measures " + weft::to_string(shape) + ' ' + weft::to_string(weft::by_name(variant.parameters)));
      stop(value("--output"));
      if (const int status = std::stoi(note(".status", "0")); status != 0) {
        std::cerr << variant.step.text() << ": no such luck\n";
        return status;
      }
      weft::append(value("--output"), invented(variant, shape));
    }
  }
  return 0;
}

int check() {
  log("begins");
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  log("ends");
  std::cout << "what was checked\n";
  return std::stoi(note(".checked", "0"));
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front() == "--small") return check();
  if (arguments.front() == "--describe") return describe();
  if (arguments.front() == "--measure") return measure(arguments);
  log(arguments.front() + ' ' + arguments.at(1));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    self = argv[0];
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
