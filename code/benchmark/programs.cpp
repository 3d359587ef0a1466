#include "benchmark/programs.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <stdexcept>

#include "benchmark/process.hpp"

namespace weft {
namespace {

/// The number in front of a name such as "6-transpose" or "13_padded"; -1 if there is none.
int leading_number(const std::string& name, char separator) {
  int number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool separated = end != name.data() + name.size() && *end == separator;
  return error == std::errc() && separated ? number : -1;
}

std::vector<Program> find_programs(const std::filesystem::path& folder) {
  const auto descriptions = folder.parent_path().parent_path() / "describe" / folder.filename();
  std::vector<Program> programs;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool is_program = entry.is_regular_file() && access(entry.path().c_str(), X_OK) == 0 &&
                            !entry.path().has_extension() && leading_number(name, '_') >= 0;
    if (is_program) programs.push_back({entry.path(), descriptions / (name + ".json")});
  }
  std::ranges::sort(programs, {}, &Program::path);
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

std::vector<Counted> counted_launches(const Program& program) try {
  std::vector<Counted> launches;
  const Json description = Json::parse(read_text(program.description));
  for (const Json& variant : description.at("variants")) {
    for (const Json& shape : variant.at("counted")) {
      Counted counted{.step = variant.at("step"),
                      .shape = shape,
                      .parameters = variant.at("parameters"),
                      .fingerprint = variant.at("fingerprints").value(shape_text(shape), ""),
                      .command = {program.path.string(), "--once", shape_text(shape)}};
      for (const auto& [name, values] : counted.parameters.items()) {
        counted.command.insert(counted.command.end(), {"--with", name + "=" + shape_text(values)});
      }
      launches.push_back(std::move(counted));
    }
  }
  return launches;
} catch (const Json::exception&) {
  throw std::runtime_error(program.description.string() + " is missing or damaged: build the steps anew");
}

}  // namespace weft
