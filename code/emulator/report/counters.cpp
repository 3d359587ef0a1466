#include "emulator/report/counters.hpp"

#include <array>
#include <cstdint>
#include <locale>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/report/journal.hpp"
#include "model/metric_names.hpp"

namespace weft::emulator {
namespace {

using model::Metric;

/// A metric that Nsight Compute gives for a launch, and its unit there.
struct Column {
  std::string_view metric;
  std::string_view unit;
};

/// In alphabetical order, as Nsight Compute sorts them.
constexpr std::array columns{
    Column{name(Metric::data_wavefronts), ""},
    Column{name(Metric::shared_atomic_wavefronts), ""},
    Column{name(Metric::load_tag_wavefronts), ""},
    Column{model::store_tag_wavefronts, ""},
    Column{model::global_atomic_requests, "request"},
    Column{name(Metric::global_load_requests), "request"},
    Column{name(Metric::global_reduction_requests), "request"},
    Column{name(Metric::global_store_requests), "request"},
    Column{model::global_atomic_sectors, "sector"},
    Column{name(Metric::global_load_sectors), "sector"},
    Column{name(Metric::global_reduction_sectors), "sector"},
    Column{name(Metric::global_store_sectors), "sector"},
    Column{"launch__block_size", ""},
    Column{"launch__grid_size", ""},
    Column{"launch__registers_per_thread", "register/thread"},
    Column{"launch__thread_count", "thread"},
    Column{name(Metric::shared_atomic_requests), "inst"},
    Column{name(Metric::shared_load_requests), "inst"},
    Column{name(Metric::shared_store_requests), "inst"},
    Column{name(Metric::shared_load_wavefronts), ""},
    Column{name(Metric::shared_store_wavefronts), ""},
};

/// That a thread is given, however few it needs.
constexpr int least_registers = 16;

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

std::string shape(const Extents& e) {
  return '(' + std::to_string(e.x) + ", " + std::to_string(e.y) + ", " + std::to_string(e.z) + ')';
}

/// The environment's, for the grouping of digits; if the computer does not have it, none are grouped.
std::locale number_locale() {
  try {
    return std::locale("");
  } catch (const std::runtime_error&) {
    return std::locale::classic();
  }
}

std::string value_of(const LaunchRecord& record, std::string_view metric, const std::locale& locale) {
  std::ostringstream text;
  text.imbue(locale);
  const auto counted = record.metrics.find(std::string(metric));
  if (counted != record.metrics.end()) {
    text << counted->second;
  } else if (metric == "launch__block_size") {
    text << record.block.count();
  } else if (metric == "launch__grid_size") {
    text << record.grid.count();
  } else if (metric == "launch__thread_count") {
    text << record.block.count() * record.grid.count();
  } else if (metric == "launch__registers_per_thread") {
    if (record.registers == 0 || record.registers_of != 0) return "n/a";
    text << std::max(record.registers, least_registers);
  } else {
    text << 0;
  }
  return text.str();
}

using Json = nlohmann::ordered_json;

void mark(Json& json, const std::set<Doubt>& doubts) {
  json["exact"] = doubts.empty();
  for (const Doubt doubt : doubts) json["because"].push_back(text_of(doubt));
}

Json to_json(const std::vector<LineCounts>& lines) {
  auto array = Json::array();
  for (const LineCounts& line : lines) {
    Json json{{"file", line.file}, {"line", line.line}, {"metrics", line.metrics}};
    mark(json, line.doubts);
    array.push_back(std::move(json));
  }
  return array;
}

Json to_json(const LaunchRecord& record) {
  const auto extents = [](const Extents& e) { return Json{e.x, e.y, e.z}; };
  Json json;
  if (!record.label.empty()) json["label"] = record.label;
  json.update({{"kernel", record.kernel},
               {"grid", extents(record.grid)},
               {"block", extents(record.block)},
               {"metrics", record.metrics}});
  mark(json, record.doubts);
  json["lines"] = to_json(record.lines);
  if (!record.inlined.empty()) json["inlined"] = to_json(record.inlined);
  return json;
}

}  // namespace

void write_json(const std::filesystem::path& journal, std::ostream& to) {
  const char* before = "[\n";
  read_journal(journal, [&](const LaunchRecord& record) {
    to << std::exchange(before, ",\n") << to_json(record).dump(1);
  });
  to << (*before == '[' ? "[]\n" : "\n]\n");
}

void write_csv(const std::filesystem::path& journal, std::ostream& to) {
  const std::locale locale = number_locale();
  to << R"("ID","Kernel Name","Block Size","Grid Size")";
  for (const Column& column : columns) to << ',' << quoted(column.metric);
  to << '\n' << R"("","","","")";
  for (const Column& column : columns) to << ',' << quoted(column.unit);
  to << '\n';
  std::uint64_t number = 0;
  read_journal(journal, [&](const LaunchRecord& record) {
    to << '"' << number++ << "\"," << quoted(record.kernel) << ',' << quoted(shape(record.block)) << ','
       << quoted(shape(record.grid));
    for (const Column& column : columns) to << ',' << quoted(value_of(record, column.metric, locale));
    to << '\n';
  });
}

}  // namespace weft::emulator
