#include "emulator/report/summary.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <iomanip>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/report/journal.hpp"
#include "model/metric_names.hpp"

namespace weft::emulator {
namespace {

using model::Metric;

/// Accesses of one kind: how often they are asked for, and what that takes.
struct Kind {
  std::string_view name;
  std::string_view requests;
  std::string_view units;  ///< sectors in global memory, wavefronts in shared memory
  bool global;
};

constexpr std::array kinds{
    Kind{"global load", name(Metric::global_load_requests), name(Metric::global_load_sectors), true},
    Kind{"global store", name(Metric::global_store_requests), name(Metric::global_store_sectors), true},
    Kind{"global reduction", name(Metric::global_reduction_requests), name(Metric::global_reduction_sectors),
         true},
    Kind{"global atomic", model::global_atomic_requests, model::global_atomic_sectors, true},
    Kind{"shared load", name(Metric::shared_load_requests), name(Metric::shared_load_wavefronts), false},
    Kind{"shared store", name(Metric::shared_store_requests), name(Metric::shared_store_wavefronts), false},
    Kind{"shared atomic", name(Metric::shared_atomic_requests), name(Metric::shared_atomic_wavefronts),
         false},
};

/// Requests, and the sectors or wavefronts that they take.
struct Cost {
  std::uint64_t requests = 0;
  std::uint64_t units = 0;

  void add(const Counts& counts, const Kind& kind) {
    const auto of = [&](std::string_view metric) {
      const auto found = counts.find(std::string(metric));
      return found != counts.end() ? found->second : 0;
    };
    requests += of(kind.requests);
    units += of(kind.units);
  }
};

/// All launches of a kernel.
struct KernelSummary {
  std::uint64_t launches = 0;
  std::set<std::string> grids, blocks;
  int registers = 0;
  int registers_of = 0;
  double least_occupancy = 1, most_occupancy = 0;
  std::array<Cost, kinds.size()> costs;
  std::map<Doubt, std::set<std::pair<std::string, std::uint32_t>>> doubts;  ///< with the lines, if known
};

using Place = std::pair<std::string, std::uint32_t>;

struct Summary {
  std::vector<std::string> order;  ///< kernels as they first ran
  std::map<std::string, KernelSummary> kernels;
  std::map<Place, Cost> global, shared;

  void add(const LaunchRecord& record);
};

std::string text_of(const Extents& e) {
  return '(' + std::to_string(e.x) + ", " + std::to_string(e.y) + ", " + std::to_string(e.z) + ')';
}

void Summary::add(const LaunchRecord& record) {
  KernelSummary& kernel = kernels[record.kernel];
  if (kernel.launches++ == 0) order.push_back(record.kernel);
  kernel.grids.insert(text_of(record.grid));
  kernel.blocks.insert(text_of(record.block));
  kernel.registers = record.registers;
  kernel.registers_of = record.registers_of;
  kernel.least_occupancy = std::min(kernel.least_occupancy, record.occupancy);
  kernel.most_occupancy = std::max(kernel.most_occupancy, record.occupancy);
  for (const Doubt doubt : record.doubts) kernel.doubts[doubt];
  for (const LineCounts& line : record.lines) {
    for (const Doubt doubt : line.doubts) kernel.doubts[doubt].insert({line.file, line.line});
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    kernel.costs[i].add(record.metrics, kinds[i]);
    for (const LineCounts& line : record.lines) {
      (kinds[i].global ? global : shared)[{line.file, line.line}].add(line.metrics, kinds[i]);
    }
  }
}

/// Digits in groups of three.
std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string fixed(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

/// Some lines' accesses are part of an instruction that is counted elsewhere.
std::string per_request(const Cost& cost) {
  if (cost.requests == 0) return "-";
  return fixed(static_cast<double>(cost.units) / static_cast<double>(cost.requests), 2);
}

std::string list(const std::set<std::string>& shapes) {
  const std::string more = shapes.size() > 1 ? " and " + std::to_string(shapes.size() - 1) + " more" : "";
  return *shapes.begin() + more;
}

std::string occupancy(const KernelSummary& kernel) {
  const std::string least = fixed(100 * kernel.least_occupancy, 0);
  const std::string most = fixed(100 * kernel.most_occupancy, 0);
  return (least == most ? most : least + " to " + most) + " %";
}

/// A file's name as one would type it here.
std::string file_name(const std::string& file) {
  const std::filesystem::path name = std::filesystem::path(file).lexically_normal();
  std::error_code failure;
  const std::filesystem::path near = name.lexically_relative(std::filesystem::current_path(failure));
  return failure || near.empty() || *near.begin() == ".." ? name.string() : near.string();
}

std::string registers(const KernelSummary& kernel) {
  if (kernel.registers == 0) return "unknown";
  const std::string where =
      kernel.registers_of != 0 ? " (on sm_" + std::to_string(kernel.registers_of) + ')' : "";
  return std::to_string(kernel.registers) + where;
}

void write_kernel(const std::string& name, const KernelSummary& kernel, std::ostream& to) {
  to << '\n'
     << name << "\n  launches " << kernel.launches << "   grid " << list(kernel.grids) << "   block "
     << list(kernel.blocks) << "   registers " << registers(kernel) << "   theoretical occupancy "
     << (kernel.registers != 0 ? "" : "at most ") << occupancy(kernel) << '\n';
  const auto row = [&](std::string_view first, const std::vector<std::string>& cells) {
    to << "  " << std::left << std::setw(18) << first << std::right;
    for (const std::string& cell : cells) to << std::setw(16) << cell;
    to << '\n';
  };
  bool first = true;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const Cost& cost = kernel.costs[i];
    if (cost.requests == 0) continue;
    if (std::exchange(first, false)) {
      row("", {"requests", "sectors", "per request", "wavefronts", "per request"});
    }
    const std::string requests = grouped(cost.requests), units = grouped(cost.units);
    if (kinds[i].global) row(kinds[i].name, {requests, units, per_request(cost)});
    if (!kinds[i].global) row(kinds[i].name, {requests, "", "", units, per_request(cost)});
  }
  for (const auto& [doubt, lines] : kernel.doubts) {
    to << (doubt == Doubt::schedule ? "  " : "  approximate: ") << text_of(doubt);
    const char* before = ", at ";
    for (const auto& [file, line] : lines)
      to << std::exchange(before, ", ") << file_name(file) << ':' << line;
    to << '\n';
  }
}

/// A line of a file that can be read; else nothing.
std::string source_line(const Place& place) {
  std::ifstream stream(place.first);
  std::string line;
  for (std::uint32_t i = 0; i < place.second; ++i) {
    if (!std::getline(stream, line)) return {};
  }
  return line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
}

void write_lines(const std::map<Place, Cost>& costs, std::string_view unit, std::ostream& to) {
  constexpr std::size_t most_lines = 5;
  std::vector<std::pair<Place, Cost>> lines;
  std::uint64_t all = 0;
  for (const auto& line : costs) {
    all += line.second.units;
    if (line.second.units != 0 && line.first.second != 0) lines.emplace_back(line);
  }
  std::ranges::stable_sort(lines,
                           [](const auto& a, const auto& b) { return a.second.units > b.second.units; });
  if (lines.size() > most_lines) lines.resize(most_lines);
  if (lines.empty()) return;
  to << "\nLines with most " << unit << '\n';
  for (const auto& [place, cost] : lines) {
    const double share = 100 * static_cast<double>(cost.units) / static_cast<double>(all);
    to << std::setw(16) << grouped(cost.units) << std::setw(8) << fixed(share, 1) + " %" << std::setw(8)
       << per_request(cost) << " per request  " << file_name(place.first) << ':' << place.second << "  "
       << source_line(place) << '\n';
  }
}

}  // namespace

void write_summary(const std::filesystem::path& journal, std::ostream& to) {
  Summary summary;
  read_journal(journal, [&](const LaunchRecord& record) { summary.add(record); });
  for (const std::string& name : summary.order) write_kernel(name, summary.kernels.at(name), to);
  write_lines(summary.global, "sectors", to);
  write_lines(summary.shared, "wavefronts", to);
}

}  // namespace weft::emulator
