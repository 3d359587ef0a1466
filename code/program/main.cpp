#include <doctest/doctest.h>

#include <filesystem>
#include <iostream>
#include <stdexcept>

#include "check/checks.hpp"
#include "check/counted.hpp"
#include "device/device.hpp"
#include "device/runtime.hpp"
#include "program/commands.hpp"
#include "program/options.hpp"

/// The path of the program's own source, if it is compiled together with others; see chapter.cmake.
extern "C" [[gnu::weak]] const char weft_source[];

namespace weft {
namespace {

constexpr int exit_failed = 1;
constexpr int exit_refused = 2;

/// Prints one line on the standard error stream.
void say(const std::string& line) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").filename().string();
  std::cerr << program << ": " << line << '\n';
}

std::string joined(const List<Shape>& shapes) {
  std::string text;
  for (const Shape& shape : shapes) text += ' ' + to_string(shape);
  return text;
}

int run_checks(const CommandLineOptions& options, const std::optional<std::string>& obstacle) {
  doctest::Context context;
  context.setOption("no-version", true);
  context.setOption("no-intro", true);
  if (obstacle) context.addFilter("test-suite-exclude", device_suite);
  if (weft_source != nullptr) {  // and no test cases of the other programs
    for (const char* const sources : {weft_source, "*.hpp", "*.cpp"})
      context.addFilter("source-file", sources);
  }
  if (options.small || substitute_runtime()) check_small_shapes_alone();  // an emulator would take minutes
  std::vector<const char*> arguments{"step"};
  for (const std::string& argument : options.for_doctest) arguments.push_back(argument.c_str());
  context.applyCommandLine(static_cast<int>(arguments.size()), arguments.data());
  const int result = context.run();
  if (result != 0 || context.shouldExit()) return result;
  if (const auto& missing = lacking()) throw Unavailable(*missing);
  std::string skipped = obstacle ? *obstacle + "; the checks that need one were skipped" : "";
  if (const int claims = skipped_claims(); claims != 0) {
    if (obstacle) skipped += "; ";
    skipped += "claims about counters skipped: " + std::to_string(claims) + ", the emulator checks them";
  }
  if (!skipped.empty()) say(skipped);
  return obstacle ? cannot_run_here : 0;
}

/// Prints what a step itself reports of a launch. What the card's clock says takes the card.
void print_quantities(const Variant& variant, Problem& problem, bool without_gpu) {
  for (const Quantity& quantity : variant.quantities) {
    if (!quantity.read) continue;
    std::cout << quantity.name.text() << ' ';
    if (quantity.origin == Origin::clock && without_gpu) {
      std::cout << "takes a GPU\n";
    } else {
      std::cout << quantity.read(problem) << ' ' << quantity.unit.text() << '\n';
    }
  }
}

/// Prints the series of a launch, a row of the last axis on each line.
void print_series(const Variant& variant, Problem& problem, bool without_gpu) {
  for (const Series& series : variant.series) {
    std::cout << series.name.text() << ' ';
    if (series.origin == Origin::clock && without_gpu) {
      std::cout << "takes a GPU\n";
      continue;
    }
    const Grid grid = read(series, problem);
    std::cout << to_string(grid.lengths) << ' ' << series.unit.text() << '\n';
    for (std::size_t i = 0; i < grid.values.size(); ++i) {
      const bool ends = (i + 1) % static_cast<std::size_t>(grid.lengths.back()) == 0;
      std::cout << grid.values[i] << (ends ? '\n' : ' ');
    }
  }
}

int run(const CommandLineOptions& options) {
  const std::vector<const Variant*> chosen = chosen_variants(options);
  const std::optional<std::string> substitute = substitute_runtime();
  if (options.command == Command::list) {
    list();
    return 0;
  }
  if (options.command == Command::check && substitute == "recorder") {
    throw UsageError("the recorder runs no kernel, so there is nothing to check");
  }
  if (options.command == Command::measure && substitute) {
    throw UsageError("times come from a GPU alone: the " + *substitute + " has none to give");
  }
  if (options.command == Command::describe && substitute && substitute != "recorder") {
    throw UsageError("--describe makes every launch in full: that takes a GPU or the recorder, not the " +
                     *substitute);
  }
  const std::optional<std::string> obstacle = substitute ? std::nullopt : unusable(gpu_facts());
  if (options.command == Command::check) return run_checks(options, obstacle);
  if (obstacle) {
    say(*obstacle);
    return cannot_run_here;
  }
  if (options.command == Command::once) {
    const Owned<Problem> problem = ready_problem(*chosen.front(), options.shapes.front());
    launch_to_its_end(*problem);
    print_quantities(*chosen.front(), *problem, substitute.has_value());
    print_series(*chosen.front(), *problem, substitute.has_value());
  }
  if (options.command == Command::count) count();
  if (options.command == Command::measure) {
    measure(chosen, options.shapes, options.skipped, options.output);
  }
  if (options.command == Command::describe) describe();
  return 0;
}

}  // namespace

void list() {
  for (const Variant& variant : variants()) {
    std::cout << variant.step.text() << "  " << to_string(variant.kind);
    if (!variant.parameters.empty()) std::cout << "  " << to_string(by_name(variant.parameters));
    std::cout << "  measured" << joined(variant.measured) << "  counted" << joined(variant.counted) << '\n';
  }
}

}  // namespace weft

int main(int argc, const char* const* argv) {
  try {
    weft::register_by(weft::register_steps);
    const std::optional<weft::CommandLineOptions> options = weft::parse_options(argc, argv);
    const int status = options ? weft::run(*options) : 0;
    if (!std::cout.flush()) throw std::runtime_error("the standard output cannot be written");
    return status;
  } catch (const weft::UsageError& error) {
    weft::say(error.what());
    return weft::exit_refused;
  } catch (const weft::Unavailable& error) {
    weft::say(error.what());
    return weft::cannot_run_here;
  } catch (const weft::OutOfDeviceMemory& error) {
    weft::say(error.what());
    return weft::exit_refused;
  } catch (const std::exception& error) {
    weft::say(error.what());
    return weft::exit_failed;
  }
}
