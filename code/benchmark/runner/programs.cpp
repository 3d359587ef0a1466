#include "benchmark/runner/programs.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <stdexcept>

#include "benchmark/system/process.hpp"

namespace weft {
namespace {

/// Of arrays with more bytes a launch is timed in the first round alone.
constexpr std::int64_t most_bytes_of_rounds = std::int64_t{1} << 30;

/// The number in front of a name such as "6-transpose" or "13_padded"; -1 if there is none.
int leading_number(const std::string& name, char separator) {
  int number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool separated = end != name.data() + name.size() && *end == separator;
  return error == std::errc() && separated ? number : -1;
}

/// What a program is to be timed and counted for, as it says itself.
void describe(Program& program, const std::filesystem::path& description) try {
  const Json variants = Json::parse(read_text(description)).at("variants");
  std::vector<Launch> timed_alone;
  for (const Json& variant : variants) {
    Launch launch{.what = {{"step", variant.at("step")}},
                  .fingerprint = {},
                  .curve = variant.value("curve", false),
                  .large = false,
                  .command = {},
                  .metrics = {}};
    for (const Json& quantity : variant.at("quantities")) {
      if (quantity.at("from") == "profiler") launch.metrics.push_back(quantity.at("name"));
    }
    const auto has = [&](const char* shapes, const Json& shape) {
      const Json& list = variant.at(shapes);
      return std::ranges::find(list, shape) != list.end();
    };
    for (const Json& run : variant.at("runs")) {
      launch.what["shape"] = run.at("shape");
      launch.what["parameters"] = variant.at("parameters");
      launch.fingerprint = run.value("fingerprint", "");
      launch.command = {program.path.string()};
      for (const Json& argument : run.at("arguments")) launch.command.push_back(argument);
      launch.large = run.value("/amounts/bytes"_json_pointer, std::int64_t{0}) > most_bytes_of_rounds;
      launch.timed_alone = !has("counted", run.at("shape"));
      if (has("measured", run.at("shape"))) program.timed.push_back(launch);
      (launch.timed_alone ? timed_alone : program.counted).push_back(launch);
    }
  }
  program.counted.insert(program.counted.end(), timed_alone.begin(), timed_alone.end());
  program.of_others = std::ranges::all_of(variants, [](const Json& v) { return v.at("kind") == "peer"; });
} catch (const Json::exception&) {
  throw std::runtime_error(description.string() + " is missing or damaged: build the steps anew");
}

bool is_numbered(const std::string& name) { return leading_number(name, '_') >= 0; }

/// The programs of a folder whose names are such, in the order of their names.
/// @param descriptions where each has its description, by its name
std::vector<Program> programs_in(const std::filesystem::path& folder,
                                 const std::filesystem::path& descriptions,
                                 bool (*is_named)(const std::string&)) {
  std::vector<Program> programs;
  std::error_code no_such_folder;
  for (const auto& entry : std::filesystem::directory_iterator(folder, no_such_folder)) {
    const bool is_program = entry.is_regular_file() && access(entry.path().c_str(), X_OK) == 0 &&
                            !entry.path().has_extension() && is_named(entry.path().filename().string());
    if (is_program) programs.push_back({.path = entry.path(), .timed = {}, .counted = {}});
  }
  std::ranges::sort(programs, {}, &Program::path);
  for (Program& program : programs) describe(program, descriptions / (program.name() + ".json"));
  return programs;
}

/// A chapter's steps and, after them, its experiments.
std::vector<Program> find_programs(const std::filesystem::path& folder) {
  const auto descriptions = folder.parent_path().parent_path() / "describe" / folder.filename();
  std::vector<Program> programs = programs_in(folder, descriptions, is_numbered);
  const auto any = [](const std::string&) { return true; };
  std::ranges::move(programs_in(folder / "experiments", descriptions / "experiments", any),
                    std::back_inserter(programs));
  return programs;
}

}  // namespace

std::vector<Chapter> find_chapters(const std::filesystem::path& folder) {
  std::map<int, Chapter> chapters;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
    const int number = leading_number(entry.path().filename().string(), '-');
    if (number < 0 || !entry.is_directory()) continue;
    if (auto programs = find_programs(entry.path()); !programs.empty()) {
      chapters[number] = {number, std::move(programs)};
    }
  }
  if (chapters.empty())
    throw std::runtime_error("no steps' programs in " + folder.string() + ": build them first");
  std::vector<Chapter> ordered;
  ordered.reserve(chapters.size());
  for (auto& [number, chapter] : chapters) ordered.push_back(std::move(chapter));
  return ordered;
}

Round round_of(const Program& program, int round) {
  Round all;
  if (round > 1) all.options = {"--no-curves"};
  for (const Launch& launch : program.timed) {
    if (round == 1 || !launch.curve) all.launches.push_back(&launch);
  }
  const auto is_large = [](const Launch* launch) { return launch->large; };
  if (round == 1 || std::ranges::none_of(all.launches, is_large)) return all;
  std::map<std::string, std::vector<std::string>> small_of_variants;
  Round small{.launches = {}, .options = all.options};
  for (const Launch* launch : all.launches) {
    const Json variant{launch->what.at("step"), launch->what.at("parameters")};
    std::vector<std::string>& shapes = small_of_variants[variant.dump()];
    if (launch->large) continue;
    shapes.push_back(shape_text(launch->what.at("shape")));
    small.launches.push_back(launch);
  }
  const std::vector<std::string>& shapes = small_of_variants.begin()->second;
  const auto differs = [&](const auto& variant) { return variant.second != shapes; };
  if (std::ranges::any_of(small_of_variants, differs)) return all;
  for (const std::string& shape : shapes) small.options.insert(small.options.end(), {"--shape", shape});
  return small;
}

std::string name_of(const Launch& launch) {
  const std::string parameters = parameters_text(launch.what.at("parameters"));
  return launch.what.at("step").get<std::string>() + ' ' + shape_text(launch.what.at("shape")) +
         (parameters.empty() ? "" : ' ' + parameters);
}

}  // namespace weft
