#include "benchmark/results/results.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>

namespace weft {
namespace {

/// The line of a byte of a text, from 1.
std::size_t line_of(std::string_view text, std::size_t byte) {
  return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, byte), '\n'));
}

Json parse(std::string_view text, const std::string& name) try {
  return Json::parse(text);
} catch (const Json::parse_error& error) {
  throw BadResults(name + ":" + std::to_string(line_of(text, error.byte)) +
                   ": damaged: no JSON from here on");
}

/// The entries of a list, each of which says what it is of.
std::vector<Json> entries(const Json& document, const char* list) {
  std::vector<Json> found = document.at(list);
  for (const Json& entry : found) static_cast<void>(identity(entry));
  return found;
}

void merge_entries(std::vector<Json>& older, const std::vector<Json>& newer) {
  for (const Json& entry : newer) {
    const auto same = [&](const Json& other) { return identity(other) == identity(entry); };
    if (const auto found = std::ranges::find_if(older, same); found != older.end()) {
      *found = entry;
    } else {
      older.push_back(entry);
    }
  }
}

std::string format_entries(const std::vector<Json>& entries) {
  std::string text = "[";
  for (const Json& entry : entries) {
    text += text.size() == 1 ? "\n    " : ",\n    ";
    text += entry.dump();
  }
  return text + (entries.empty() ? "]" : "\n  ]");
}

/// An object indented as a field of the document.
std::string format_object(const Json& object) {
  std::string text = object.dump(2);
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 3)
    text.insert(at + 1, "  ");
  return text;
}

std::string join(const Json& numbers) {
  std::string text;
  for (const Json& number : numbers) {
    if (!text.empty()) text += 'x';
    text += number.dump();
  }
  return text;
}

}  // namespace

std::string identity(const Json& entry) {
  return nlohmann::json::array({nlohmann::json(entry.at("step")), nlohmann::json(entry.at("shape")),
                                nlohmann::json(entry.at("parameters"))})
      .dump();
}

void Results::merge(const Results& newer) {
  chapter = newer.chapter;
  gpu = newer.gpu;
  provenance = newer.provenance;
  merge_entries(measurements, newer.measurements);
  merge_entries(counters, newer.counters);
}

Results parse_results(std::string_view text, const std::string& name) {
  const Json document = parse(text, name);
  if (!document.is_object() || !document.contains("schema")) {
    throw BadResults(name + ":1: foreign: a results file has a \"schema\"");
  }
  const Json& schema = document["schema"];
  if (schema != Results::schema) {
    const bool older = schema.is_number() && schema < Results::schema;
    throw BadResults(name + ":" + std::to_string(line_of(text, text.find("\"schema\""))) + ": schema " +
                     schema.dump() + " is not known here, only " + std::to_string(Results::schema) + ": " +
                     (older ? "an earlier book wrote it" : "update the clone"));
  }
  try {
    Results results(document.at("chapter"), document.at("gpu"));
    static_cast<void>(results.gpu.at("name").get<std::string>());
    results.provenance = document.at("provenance");
    results.measurements = entries(document, "measurements");
    results.counters = entries(document, "counters");
    return results;
  } catch (const Json::exception& error) {
    throw BadResults(name + ":1: damaged: " + error.what());
  }
}

Results read_results(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw BadResults(path.string() + ": cannot be read");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return parse_results(text, path.string());
}

std::string format_results(const Results& results) {
  return "{\n  \"schema\": " + std::to_string(Results::schema) +
         ",\n  \"chapter\": " + std::to_string(results.chapter) +
         ",\n  \"gpu\": " + format_object(results.gpu) +
         ",\n  \"provenance\": " + format_object(results.provenance) +
         ",\n  \"measurements\": " + format_entries(results.measurements) +
         ",\n  \"counters\": " + format_entries(results.counters) + "\n}\n";
}

std::string folder_name(std::string_view gpu) {
  std::string name;
  for (const unsigned char character : gpu) {
    if (std::isalnum(character) != 0) {
      name += static_cast<char>(std::tolower(character));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.empty() ? "unknown" : name;
}

std::string shape_text(const Json& shape) { return join(shape); }

std::string parameters_text(const Json& parameters) {
  std::string text;
  for (const auto& [key, value] : parameters.items()) {
    if (!text.empty()) text += ' ';
    text += key + "=" + join(value);
  }
  return text;
}

}  // namespace weft
