#include "benchmark/results.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace weft {
namespace {

/// The line on which each part of a document starts, found while it is parsed.
struct Lines {
  std::size_t current = 1;
  std::map<std::string, std::size_t> keys;                  // of the document itself
  std::map<std::string, std::vector<std::size_t>> objects;  // of its lists
};

/// Walks over text and counts its lines.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, Lines& lines) : at_(at), lines_(&lines) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    if (*at_ == '\n') ++lines_->current;
    ++at_;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  Lines* lines_;
};

/// Says where and what is wrong with one file.
class Faults {
 public:
  Faults(std::string name, const Lines& lines) : name_(std::move(name)), lines_(lines) {}

  [[noreturn]] void fail(std::size_t line, const std::string& fault) const {
    throw BadResults(name_ + ":" + std::to_string(line) + ": " + fault);
  }
  [[nodiscard]] std::size_t line_of(const std::string& key) const {
    const auto found = lines_.keys.find(key);
    return found == lines_.keys.end() ? 1 : found->second;
  }
  [[nodiscard]] std::size_t line_of(const std::string& key, std::size_t index) const {
    const auto found = lines_.objects.find(key);
    return found == lines_.objects.end() || index >= found->second.size() ? line_of(key)
                                                                          : found->second[index];
  }

 private:
  std::string name_;
  const Lines& lines_;
};

Json parse_with_lines(std::string_view text, const std::string& name, Lines& lines) {
  std::string key;
  const auto note = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::key && depth == 1) {
      key = parsed.get<std::string>();
      lines.keys[key] = lines.current;
    }
    if (event == Json::parse_event_t::object_start && depth == 2) lines.objects[key].push_back(lines.current);
    return true;
  };
  try {
    const char* const begin = text.data();
    const char* const end = begin + text.size();
    return Json::parse(CountingIterator(begin, lines), CountingIterator(end, lines), note);
  } catch (const Json::exception&) {
    throw BadResults(name + ":" + std::to_string(lines.current) + ": damaged: no JSON from here on");
  }
}

bool is_count(const Json& value) {
  return value.is_number_unsigned() || (value.is_number_integer() && value.get<std::int64_t>() >= 0);
}

bool is_positive(const Json& value) { return value.is_number() && value.get<double>() > 0; }

bool is_shape(const Json& value) {
  return value.is_array() && !value.empty() && std::ranges::all_of(value, is_count);
}

bool is_parameters(const Json& value) {
  return value.is_object() && std::ranges::all_of(value, [](const Json& list) {
           return list.is_array() &&
                  std::ranges::all_of(list, [](const Json& n) { return n.is_number_integer(); });
         });
}

/// The first field that an entry lacks or holds in a wrong form; empty if all is well.
std::string_view fault_of_entry(const Json& entry) {
  if (!entry.is_object()) return "an entry is no object";
  if (!entry.contains("step") || !entry["step"].is_string()) return "\"step\" is missing or no text";
  if (!entry.contains("shape") || !is_shape(entry["shape"]))
    return "\"shape\" is missing or no list of sizes";
  if (!entry.contains("parameters") || !is_parameters(entry["parameters"])) {
    return "\"parameters\" is missing or no object of lists of whole numbers";
  }
  return {};
}

std::string fault_of_measurement(const Json& entry) {
  if (const auto fault = fault_of_entry(entry); !fault.empty()) return std::string(fault);
  static const std::set<std::string> kinds{"step", "ceiling", "peer"};
  if (!entry.contains("kind") || !entry["kind"].is_string() || !kinds.contains(entry["kind"])) {
    return "\"kind\" is none of step, ceiling, peer";
  }
  const Json seconds = entry.value("seconds", Json::object());
  for (const char* key : {"median", "low", "high"}) {
    if (!seconds.is_object() || !seconds.contains(key) || !is_positive(seconds[key])) {
      return std::string("\"seconds\" lacks a positive \"") + key + "\"";
    }
  }
  for (const char* key : {"samples", "bytes"}) {
    if (!entry.contains(key) || !is_count(entry[key]))
      return std::string("\"") + key + "\" is missing or no count";
  }
  if (!entry.contains("fingerprint") || !entry["fingerprint"].is_string())
    return "\"fingerprint\" is missing or no text";
  return {};
}

std::string fault_of_counters(const Json& entry) {
  if (const auto fault = fault_of_entry(entry); !fault.empty()) return std::string(fault);
  if (!entry.contains("metrics") || !entry["metrics"].is_object() ||
      !std::ranges::all_of(entry["metrics"], [](const Json& value) { return value.is_number(); })) {
    return "\"metrics\" is missing or holds something that is no number";
  }
  return {};
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
  Lines lines;
  const Json document = parse_with_lines(text, name, lines);
  const Faults faults(name, lines);
  if (!document.is_object() || !document.contains("schema") || !document["schema"].is_number_integer()) {
    faults.fail(1, "foreign: a results file has a \"schema\"");
  }
  if (const auto schema = document["schema"].get<std::int64_t>(); schema != Results::schema) {
    faults.fail(faults.line_of("schema"), "schema " + std::to_string(schema) + " is not known here, only " +
                                              std::to_string(Results::schema) + ": update the clone");
  }
  Results results;
  if (!document.contains("chapter") || !is_count(document["chapter"])) {
    faults.fail(faults.line_of("chapter"), "\"chapter\" is missing or no number");
  }
  results.chapter = document["chapter"].get<int>();
  if (!document.contains("gpu") || !document["gpu"].is_object() || !document["gpu"].contains("name") ||
      !document["gpu"]["name"].is_string()) {
    faults.fail(faults.line_of("gpu"), "\"gpu\" is missing or has no \"name\"");
  }
  results.gpu = document["gpu"];
  results.provenance = document.value("provenance", Json::object());
  const std::pair<const char*, std::string (*)(const Json&)> lists[] = {
      {"measurements", fault_of_measurement}, {"counters", fault_of_counters}};
  for (const auto& [key, fault_of] : lists) {
    const Json entries = document.value(key, Json::array());
    if (!entries.is_array()) faults.fail(faults.line_of(key), std::string("\"") + key + "\" is no list");
    for (std::size_t index = 0; index < entries.size(); ++index) {
      const std::string fault = fault_of(entries[index]);
      if (!fault.empty()) faults.fail(faults.line_of(key, index), fault);
    }
    (key == std::string_view("measurements") ? results.measurements : results.counters)
        .assign(entries.begin(), entries.end());
  }
  return results;
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
