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
#include "step/mismatch.hpp"

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

/// Times one variant at one shape. What was timed must be right, or it is not recorded: the output is
/// poisoned before the first launch, and looked at after the last.
Measurement measure_one(Measure* plugin, const Variant& variant, const Shape& shape) {
  Measurement result;
  result.step = variant.step.text();
  result.kind = variant.kind;
  result.shape = shape;
  result.parameters = by_name(variant.parameters);
  result.rated_by = variant.rated_by;
  result.amounts = variant.amounts(shape);
  result.l2 = variant.l2;
  result.quantities = variant.quantities;
  result.series = variant.series;
  const std::string name = name_of(variant, shape);
  const Owned<Problem> problem = ready_problem(variant, shape);
  const auto began = std::chrono::steady_clock::now();
  const std::vector<Launched> launches = noted_launches(variant, *problem);
  const std::chrono::duration<double> first = std::chrono::steady_clock::now() - began;
  const bool peer = variant.kind == Kind::peer;
  if (!peer) result.fingerprint = fingerprint(launches);
  plugin(*problem, {name, variant.l2, variant.quantities, peer ? 0 : first.count()}, result.timing);
  if (const auto mismatch = problem->verify()) {
    throw std::runtime_error(name + ": wrong result, not recorded: " + mismatch->describe());
  }
  for (const Series& series : variant.series) result.grids.push_back(read(series, *problem));
  result.date = now();
  return result;
}

void print_row(const Measurement& m) {
  const Spread seconds = spread(m.timing.seconds);
  std::printf("%-20s %-14s %-14s %11.2f µs %9.2f … %-9.2f %7zu", m.step.c_str(), to_string(m.shape).c_str(),
              to_string(m.parameters).c_str(), seconds.median * 1e6, seconds.low * 1e6, seconds.high * 1e6,
              m.timing.seconds.size());
  const auto amount = static_cast<double>(m.amounts.of(m.rated_by));
  switch (m.rated_by) {
    case Rating::bytes:
      std::printf(" %9.1f GB/s", amount / seconds.median * 1e-9);
      break;
    case Rating::operations:
      std::printf(" %9.1f GFLOP/s", amount / seconds.median * 1e-9);
      break;
    case Rating::accesses:
      std::printf(" %9.2f ns each", seconds.median / amount * 1e9);
      break;
    case Rating::elements:
      std::printf(" %9.1f G/s", amount / seconds.median * 1e-9);
      break;
  }
  std::printf("%s\n", m.timing.throttled ? "  throttled" : "");
  static_cast<void>(std::fflush(stdout));
}

}  // namespace

void measure(const std::vector<const Variant*>& chosen, const List<Shape>& shapes, std::int64_t skipped,
             const fs::path& output) {
  Measure* const plugin = load_plugin();
  if (!output.empty() && !std::ofstream(output, std::ios::app)) {
    throw std::runtime_error("cannot write " + output.string() + ": no such folder, or no permission");
  }
  std::printf("%-20s %-14s %-14s %14s %21s %7s\n", "step", "shape", "parameters", "median", "5 % … 95 %",
              "samples");
  for (const Variant* variant : chosen) {
    for (const Shape& shape : shapes.empty() ? variant->measured : shapes) {
      if (skipped-- > 0) continue;
      const Measurement measured = measure_one(plugin, *variant, shape);
      if (!output.empty()) append(output, measured);
      print_row(measured);
    }
  }
}

}  // namespace weft
