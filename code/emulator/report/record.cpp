#include "emulator/report/record.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "emulator/names.hpp"
#include "model/metrics.hpp"

namespace weft::emulator {
namespace {

/// The names under which requests (or instructions) and sectors (or wavefronts) are listed.
std::pair<std::string, std::string> metric_names(Counting counting) {
  using model::Metric;
  const auto names = [](Metric requests, Metric units) {
    return std::pair{std::string(model::name(requests)), std::string(model::name(units))};
  };
  switch (counting) {
    case Counting::global_load:
      return names(Metric::global_load_requests, Metric::global_load_sectors);
    case Counting::global_store:
      return names(Metric::global_store_requests, Metric::global_store_sectors);
    case Counting::global_reduction:
      return names(Metric::global_reduction_requests, Metric::global_reduction_sectors);
    case Counting::global_atomic:
      return {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
              "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum"};
    case Counting::shared_load:
      return names(Metric::shared_load_requests, Metric::shared_load_wavefronts);
    case Counting::shared_store:
      return names(Metric::shared_store_requests, Metric::shared_store_wavefronts);
    case Counting::shared_atomic:
      return names(Metric::shared_atomic_requests, Metric::shared_atomic_wavefronts);
    case Counting::nothing:
      break;
  }
  return {};
}

}  // namespace

LaunchRecord make_record(const Launch& launch, const std::vector<Site>& sites,
                         const std::vector<SiteCount>& counts) {
  LaunchRecord record{readable_name(launch.kernel->name), launch.grid, launch.block, {}, {}};
  std::map<std::pair<std::string, std::uint32_t>, Counts> by_line;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i].requests == 0) continue;
    const auto [requests, units] = metric_names(sites[i].counting);
    Counts& line = by_line[{launch.kernel->file_of(sites[i].position), sites[i].position.line}];
    for (Counts* to : {&record.metrics, &line}) {
      (*to)[requests] += counts[i].requests;
      (*to)[units] += counts[i].units;
    }
  }
  for (auto& [place, metrics] : by_line)
    record.lines.push_back({place.first, place.second, std::move(metrics)});
  return record;
}

std::string to_json(const std::vector<LaunchRecord>& records) {
  const auto extents = [](const Extents& e) { return nlohmann::ordered_json{e.x, e.y, e.z}; };
  auto array = nlohmann::ordered_json::array();
  for (const LaunchRecord& record : records) {
    auto lines = nlohmann::ordered_json::array();
    for (const LineCounts& line : record.lines) {
      lines.push_back({{"file", line.file}, {"line", line.line}, {"metrics", line.metrics}});
    }
    array.push_back({{"kernel", record.kernel},
                     {"grid", extents(record.grid)},
                     {"block", extents(record.block)},
                     {"metrics", record.metrics},
                     {"lines", std::move(lines)}});
  }
  return array.dump(1) + '\n';
}

}  // namespace weft::emulator
