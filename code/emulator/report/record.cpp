#include "emulator/report/record.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "emulator/execute/doubts.hpp"
#include "emulator/names.hpp"
#include "model/metric_names.hpp"
#include "model/warp.hpp"

namespace weft::emulator {
namespace {

using Json = nlohmann::ordered_json;  // as in counters.cpp: another kind would take seconds to compile

/// Adds the other wavefronts to those of matrices, where there are any.
void complete(Counts& counts) {
  using model::Metric;
  for (const auto& [name, others] :
       {std::pair{model::shared_load_wavefronts_with_matrices, Metric::shared_load_wavefronts},
        std::pair{model::shared_store_wavefronts_with_matrices, Metric::shared_store_wavefronts}}) {
    const auto matrices = counts.find(std::string(name));
    const auto found = counts.find(std::string(model::name(others)));
    if (matrices != counts.end() && found != counts.end()) matrices->second += found->second;
  }
}

/// The names under which requests (or instructions) and sectors (or wavefronts) are listed.
std::pair<std::string, std::string> metric_names(Counting counting) {
  using model::Metric;
  const auto names = [](Metric requests, Metric units) {
    return std::pair{std::string(model::name(requests)), std::string(model::name(units))};
  };
  switch (counting) {
    case Counting::global_load:
    case Counting::global_copy:
      return names(Metric::global_load_requests, Metric::global_load_sectors);
    case Counting::global_store:
      return names(Metric::global_store_requests, Metric::global_store_sectors);
    case Counting::global_reduction:
      return names(Metric::global_reduction_requests, Metric::global_reduction_sectors);
    case Counting::global_atomic:
      return {std::string(model::global_atomic_requests), std::string(model::global_atomic_sectors)};
    case Counting::shared_matrix:
      return {std::string(model::name(Metric::shared_load_requests)),
              std::string(model::shared_load_wavefronts_with_matrices)};
    case Counting::shared_matrix_store:
      return {std::string(model::name(Metric::shared_store_requests)),
              std::string(model::shared_store_wavefronts_with_matrices)};
    case Counting::shared_load:
      return names(Metric::shared_load_requests, Metric::shared_load_wavefronts);
    case Counting::shared_store:
      return names(Metric::shared_store_requests, Metric::shared_store_wavefronts);
    case Counting::shared_atomic:
    case Counting::shared_compare:
    case Counting::shared_increment:
    case Counting::shared_swap:
      return names(Metric::shared_atomic_requests, Metric::shared_atomic_wavefronts);
    case Counting::nothing:
      break;
  }
  return {};
}

/// Whether a site's units are wavefronts of shared memory.
bool is_shared(Counting counting) {
  switch (counting) {
    case Counting::nothing:
    case Counting::global_load:
    case Counting::global_copy:
    case Counting::global_store:
    case Counting::global_reduction:
    case Counting::global_atomic:
      return false;
    default:
      return true;
  }
}

/// Adds what a site took of the L1's two stages.
void add_wavefronts(Counts& metrics, Counting counting, const SiteCount& count) {
  if (looks_up_tags(counting)) {
    const bool store = counting == Counting::global_store;
    const std::string_view tags = model::name(model::Metric::load_tag_wavefronts);
    metrics[std::string(store ? model::store_tag_wavefronts : tags)] += count.tags;
  }
  const std::uint64_t data = is_shared(counting) ? count.units : count.data;
  if (data != 0) metrics[std::string(model::name(model::Metric::data_wavefronts))] += data;
}

/// Data wavefronts that bring a kernel's warps the numbers of their threads: one for each of threadIdx.x, .y
/// and .z that the kernel reads.
std::uint64_t starting_wavefronts(const Launch& launch) {
  const auto is_number = [](const SpecialSlot& slot) { return slot.special <= Special::tid_z; };
  const std::uint64_t warps = (launch.block.count() + model::warp_size - 1) / model::warp_size;
  return launch.grid.count() * warps *
         static_cast<std::uint64_t>(std::ranges::count_if(launch.kernel->specials, is_number));
}

using CountsByLine = std::map<std::pair<std::string, std::uint32_t>, LineCounts>;

std::vector<LineCounts> listed(CountsByLine by_line) {
  std::vector<LineCounts> lines;
  lines.reserve(by_line.size());
  for (auto& [place, line] : by_line) {
    complete(line.metrics);
    line.file = place.first;
    line.line = place.second;
    lines.push_back(std::move(line));
  }
  return lines;
}

Json compact_json(const std::vector<LineCounts>& lines) {
  auto array = Json::array();
  for (const LineCounts& line : lines) array.push_back({line.file, line.line, line.metrics, line.doubts});
  return array;
}

std::vector<LineCounts> lines_from(const Json& json) {
  std::vector<LineCounts> lines;
  for (const Json& line : json) lines.push_back({line.at(0), line.at(1), line.at(2), line.at(3)});
  return lines;
}

}  // namespace

LaunchRecord make_record(const Launch& launch, const std::vector<Site>& sites,
                         const std::vector<SiteCount>& counts) {
  LaunchRecord record;
  record.kernel = readable_name(launch.kernel->name);
  record.grid = launch.grid;
  record.block = launch.block;
  record.doubts = launch.kernel->doubts;
  CountsByLine by_line;
  CountsByLine by_caller;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::set<Doubt> doubts = doubts_of(launch, sites, counts, i);
    const bool counts_any =
        sites[i].counting != Counting::nothing && (counts[i].requests != 0 || counts[i].units != 0);
    if (!counts_any && doubts.empty()) continue;
    const auto at = [&](const ptx::Position& place) {
      return std::pair{launch.kernel->file_of(place), place.line};
    };
    const ptx::Position& place = sites[i].position;
    std::vector<LineCounts*> all{&by_line[at(place)]};
    for (const ptx::Position* caller = place.caller.get(); caller != nullptr; caller = caller->caller.get()) {
      LineCounts* const counted = &by_caller[at(*caller)];
      if (std::ranges::find(all, counted) == all.end()) all.push_back(counted);  // once, if it recurs
    }
    for (LineCounts* const line : all) line->doubts.insert(doubts.begin(), doubts.end());
    record.doubts.insert(doubts.begin(), doubts.end());
    if (!counts_any) continue;
    const auto [requests, units] = metric_names(sites[i].counting);
    // Instructions that move matrices are kinds of their own.
    const bool matrix =
        sites[i].counting == Counting::shared_matrix || sites[i].counting == Counting::shared_matrix_store;
    const std::uint64_t instructions = matrix || sites[i].tallied ? 0 : counts[i].requests;
    for (LineCounts* const line : all) {
      line->metrics[requests] += instructions;
      line->metrics[units] += counts[i].units;
      add_wavefronts(line->metrics, sites[i].counting, counts[i]);
    }
    record.metrics[requests] += instructions;
    record.metrics[units] += counts[i].units;
    add_wavefronts(record.metrics, sites[i].counting, counts[i]);
  }
  if (const std::uint64_t data = starting_wavefronts(launch); data != 0)
    record.metrics[std::string(model::name(model::Metric::data_wavefronts))] += data;
  complete(record.metrics);
  record.lines = listed(std::move(by_line));
  record.inlined = listed(std::move(by_caller));
  return record;
}

std::string to_text(const LaunchRecord& record) {
  const auto extents = [](const Extents& e) { return Json{e.x, e.y, e.z}; };
  return Json{{"label", record.label},
              {"kernel", record.kernel},
              {"grid", extents(record.grid)},
              {"block", extents(record.block)},
              {"metrics", record.metrics},
              {"lines", compact_json(record.lines)},
              {"inlined", compact_json(record.inlined)},
              {"doubts", record.doubts},
              {"registers", record.registers},
              {"registers_of", record.registers_of},
              {"occupancy", record.occupancy}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

LaunchRecord from_text(const std::string& text) {
  const Json json = Json::parse(text);
  const auto extents = [&](const char* name) {
    const Json& e = json.at(name);
    return Extents{e.at(0), e.at(1), e.at(2)};
  };
  return {json.at("label"),
          json.at("kernel"),
          extents("grid"),
          extents("block"),
          json.at("metrics"),
          lines_from(json.at("lines")),
          lines_from(json.at("inlined")),
          json.at("doubts"),
          json.at("registers"),
          json.at("registers_of"),
          json.at("occupancy")};
}

}  // namespace weft::emulator
