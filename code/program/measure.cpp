#include "program/measure.hpp"

#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include "binary/fingerprint.hpp"
#include "program/commands.hpp"
#include "program/spread.hpp"

namespace weft {
namespace {

namespace fs = std::filesystem;
using Measure = decltype(weft_measure);

/// Where the plugin lies: WEFT_PLUGINS, or the nearest folder `lib` on the way up from the program.
fs::path find_plugin() {
  if (const char* const folder = std::getenv("WEFT_PLUGINS")) return fs::path(folder) / measure_plugin;
  fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  if (fs::exists(folder / measure_plugin)) return folder / measure_plugin;
  for (; folder != folder.parent_path(); folder = folder.parent_path()) {
    if (fs::exists(folder / "lib" / measure_plugin)) return folder / "lib" / measure_plugin;
  }
  throw std::runtime_error(std::string("cannot measure: ") + measure_plugin +
                           " was not built (it needs NVBench: `make reproduce` installs it)");
}

Measure* load_plugin() {
  void* const library = dlopen(find_plugin().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(std::string("cannot measure: ") + dlerror());
  void* const symbol = dlsym(library, measure_symbol);
  if (symbol == nullptr) throw std::runtime_error(std::string("cannot measure: ") + dlerror());
  return reinterpret_cast<Measure*>(symbol);
}

std::string now() {
  const std::time_t time = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  gmtime_r(&time, &utc);
  char text[32];
  if (std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
    throw std::runtime_error("the clock fails");
  return text;
}

Measurement measure_one(Measure* plugin, const Variant& variant, const Shape& shape) {
  Measurement result;
  result.step = variant.step;
  result.kind = variant.kind;
  result.shape = shape;
  result.parameters = variant.parameters;
  const Amounts amounts = variant.amounts(shape);
  result.bytes = amounts.bytes;
  result.flops = amounts.operations;
  const std::unique_ptr<Problem> problem = variant.make(shape);
  problem->fill(1);
  const std::vector<Launched> launches = noted_launches(variant, *problem);
  if (variant.kind != Kind::peer) result.fingerprint = fingerprint(launches);
  const std::string name = variant.step + ' ' + to_string(shape) + ' ' + to_string(variant.parameters);
  plugin(*problem, {name, result.bytes, result.flops}, result.timing);
  result.date = now();
  return result;
}

void print_row(const Measurement& m) {
  const Spread seconds = spread(m.timing.seconds);
  std::printf("%-20s %-14s %-14s %11.2f µs %9.2f … %-9.2f %7zu", m.step.c_str(), to_string(m.shape).c_str(),
              to_string(m.parameters).c_str(), seconds.median * 1e6, seconds.low * 1e6, seconds.high * 1e6,
              m.timing.seconds.size());
  if (m.bytes > 0) std::printf(" %9.1f GB/s", static_cast<double>(m.bytes) / seconds.median * 1e-9);
  if (m.flops > 0) std::printf(" %9.1f GFLOP/s", static_cast<double>(m.flops) / seconds.median * 1e-9);
  std::printf("%s\n", m.timing.throttled ? "  throttled" : "");
  static_cast<void>(std::fflush(stdout));
}

/// Checks that a file can be written, before any time is spent.
void require_writable(const fs::path& beside) {
  const bool writable = std::ofstream(beside).good();
  std::error_code ignored;
  fs::remove(beside, ignored);
  if (!writable)
    throw std::runtime_error("cannot write " + beside.string() + ": no such folder, or no permission");
}

/// Writes beside the file and renames, so that the old one stays whole whatever happens.
void write(const fs::path& file, const fs::path& beside, const std::vector<Measurement>& measurements) {
  std::ofstream stream(beside);
  stream << '[';
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    stream << (i == 0 ? "\n" : ",\n") << to_json(measurements[i], true);
  }
  stream << "\n]\n";
  stream.close();
  if (!stream) {
    std::error_code ignored;
    fs::remove(beside, ignored);
    throw std::runtime_error("cannot write " + file.string() + ": is the disk full?");
  }
  fs::rename(beside, file);
}

}  // namespace

void measure(const std::vector<const Variant*>& chosen, const std::vector<Shape>& shapes,
             const fs::path& output) {
  Measure* const plugin = load_plugin();
  const fs::path beside = output.string() + ".part";
  if (!output.empty()) require_writable(beside);
  std::vector<Measurement> measurements;
  std::printf("%-20s %-14s %-14s %14s %21s %7s\n", "step", "shape", "parameters", "median", "5 % … 95 %",
              "samples");
  for (const Variant* variant : chosen) {
    for (const Shape& shape : shapes.empty() ? variant->measured : shapes) {
      measurements.push_back(measure_one(plugin, *variant, shape));
      print_row(measurements.back());
    }
  }
  if (!output.empty()) write(output, beside, measurements);
}

}  // namespace weft
