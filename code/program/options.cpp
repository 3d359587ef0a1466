#include "program/options.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <charconv>

#include "program/command_line.hpp"

namespace weft {
namespace {

/// `1024x768` as numbers.
Numbers parse_extents(const std::string& option, const std::string& text) {
  constexpr std::int64_t most_elements = std::int64_t{1} << 48;
  Numbers extents;
  std::int64_t product = 1;
  const std::string given = option + ' ' + text;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (true) {
    std::int64_t extent = 0;
    const auto [rest, error] = std::from_chars(at, end, extent);
    if (error == std::errc::result_out_of_range) {
      throw UsageError(given + " holds a number too large for any GPU's memory");
    }
    if (error != std::errc() || extent < 0 || (rest != end && *rest != 'x')) {
      throw UsageError(given + ": extents are numbers like 1024x1024");
    }
    extents.push_back(extent);
    if (__builtin_mul_overflow(product, std::max<std::int64_t>(extent, 1), &product) ||
        product > most_elements) {
      throw UsageError(given + " has more elements than any GPU has memory for");
    }
    if (rest == end) return extents;
    at = rest + 1;
  }
}

/// `offset=3` as a parameter and its values.
std::pair<std::string, Numbers> parse_parameter(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == text.npos) {
    throw UsageError("--with " + text + ": a parameter is NAME=VALUE, as --list shows it");
  }
  return {text.substr(0, equals), parse_extents("--with", text.substr(equals + 1))};
}

/// Checks that a variant can be run at a shape.
void require_runnable(const Variant& variant, const Shape& shape) {
  for (const auto& known : {variant.counted, variant.measured, variant.checked}) {
    if (!known.empty() && known.front().size() != shape.size()) {
      throw UsageError(std::string(variant.step.text()) + " wants a shape with " +
                       std::to_string(known.front().size()) + " extents, not " + to_string(shape));
    }
  }
  if (std::ranges::find(shape, 0) != shape.end()) {
    throw UsageError("a problem of size 0 (" + to_string(shape) + ") launches nothing");
  }
}

std::string file_name(const char* path) { return std::filesystem::path(path).filename().string(); }

/// What stands on the command line and is not an option's value yet.
struct Given {
  bool list = false, count = false, measure = false, describe = false;
  std::string once, output;
  std::vector<std::string> shapes, with;
};

void declare_options(CLI::App& app, CommandLineOptions& options, Given& given) {
  app.footer(
      "A SHAPE is ROWSxCOLUMNS or whatever extents --list shows. Options of doctest may follow after --.\n"
      "Exit status: 0 all is well, 1 a check failed, 2 it cannot be done as asked, 77 there is no usable "
      "GPU.");
  app.add_flag("--small", options.small,
               "check small shapes alone (for slow tools: compute-sanitizer, an emulator)");
  auto* const list =
      app.add_flag("--list", given.list, "list the variants: kind, parameters, measured and counted shapes");
  auto* const once =
      app.add_option("--once", given.once, "launch exactly once, for a profiler; nothing is verified")
          ->type_name("SHAPE");
  auto* const measure = app.add_flag("--measure", given.measure, "time the variants on a GPU");
  auto* const describe =
      app.add_flag("--describe", given.describe,
                   "print as JSON what the variants are rated by, predicted to do, and launch");
  app.add_option("--shape", given.shapes, "with --measure: time at this shape; may be repeated")
      ->type_name("SHAPE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->needs(measure);
  app.add_option("--with", given.with,
                 "with --once and --measure: the variants with this parameter alone; may be repeated")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  app.add_flag("--no-curves", options.no_curves,
               "with --measure: leave out the variants that one round of measurements is enough for")
      ->needs(measure);
  app.add_option("--output", given.output,
                 "with --measure: append each measurement to this file, a line of JSON")
      ->type_name("FILE")
      ->needs(measure);
  app.add_option("--skip", options.skipped, "with --measure: leave out so many of the first measurements")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber)
      ->needs(measure);
  auto* const count = app.add_flag(
      "--count", given.count, "launch each variant once at its counted shapes, for the emulator to count");
  const std::array<CLI::Option*, 5> commands{list, once, count, measure, describe};
  for (CLI::Option* const one : commands) {
    for (CLI::Option* const other : commands) {
      if (one != other) one->excludes(other);
    }
  }
}

/// Takes over what was given, if it goes together.
void interpret(const CLI::App& app, const Given& given, CommandLineOptions& options) {
  const bool once = app.count("--once") > 0;
  if (given.list) options.command = Command::list;
  if (once) options.command = Command::once;
  if (given.count) options.command = Command::count;
  if (given.measure) options.command = Command::measure;
  if (given.describe) options.command = Command::describe;
  const bool chooses = options.command == Command::once || options.command == Command::measure;
  if (!given.with.empty() && !chooses) throw UsageError("--with goes with --once and --measure");
  if (options.small && options.command != Command::check) throw UsageError("--small goes with checks alone");
  if (!options.for_doctest.empty() && options.command != Command::check) {
    throw UsageError("options of doctest, after --, go with checks alone");
  }
  if (once) options.shapes.push_back(parse_extents("--once", given.once));
  for (const std::string& shape : given.shapes) options.shapes.push_back(parse_extents("--shape", shape));
  for (const std::string& parameter : given.with) options.parameters.insert(parse_parameter(parameter));
  options.output = given.output;
}

}  // namespace

std::optional<CommandLineOptions> parse_options(int argc, const char* const* argv) {
  CLI::App app("Checks this step's kernels; with an option, does something else with them.",
               file_name(argv[0]));
  CommandLineOptions options;
  Given given;
  declare_options(app, options, given);
  const auto* const separator =
      std::find_if(argv, argv + argc, [](const char* a) { return std::string("--") == a; });
  if (separator != argv + argc) options.for_doctest.assign(separator + 1, argv + argc);
  if (!parse(app, static_cast<int>(separator - argv), argv)) return std::nullopt;
  interpret(app, given, options);
  return options;
}

std::vector<const Variant*> chosen_variants(const CommandLineOptions& options) {
  std::vector<const Variant*> chosen;
  std::string known;
  for (const Variant& variant : variants()) {
    const ParameterMap has = by_name(variant.parameters);
    bool fits = true;
    for (const auto& [name, values] : options.parameters) {
      const auto found = has.find(name);
      fits = fits && found != has.end() && found->second == values;
    }
    if (fits) chosen.push_back(&variant);
    if (!has.empty()) known += (known.empty() ? " " : ", ") + to_string(has);
  }
  if (chosen.empty()) {
    if (options.command == Command::check || options.command == Command::list) return chosen;
    if (options.parameters.empty()) throw UsageError("this program has no step, only checks");
    throw UsageError("no variant has " + to_string(options.parameters) +
                     (known.empty() ? ": none has parameters" : "; there are:" + known));
  }
  if (options.no_curves) std::erase_if(chosen, [](const Variant* variant) { return variant->curve; });
  for (const Variant* variant : chosen) {
    for (const Shape& shape : options.shapes) require_runnable(*variant, shape);
  }
  return chosen;
}

}  // namespace weft
