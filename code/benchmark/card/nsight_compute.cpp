#include "benchmark/card/nsight_compute.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <system_error>
#include <utility>

#include "benchmark/system/process.hpp"
#include "model/metric_names.hpp"

namespace weft {
namespace {

constexpr std::string_view duration = "gpu__time_duration.sum";

/// Beside what the model predicts: where the bytes went, how full the GPU was, what limits it.
constexpr const char* beside_the_model[] = {
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "gpc__cycles_elapsed.max",
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__time_duration.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "l1tex__data_pipe_lsu_wavefronts.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_lg_cmd_read.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_lg_cmd_write.sum",
    "l1tex__m_l1tex2xbar_write_bytes_mem_global_op_tma_st.sum",
    "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st.sum",
    "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum",
    "l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum",
    "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sector_hit_rate.pct",
    "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct",
    "l1tex__t_sector_pipe_lsu_mem_global_op_st_hit_rate.pct",
    "launch__barrier_count",
    "launch__block_size",
    "launch__grid_size",
    "launch__occupancy_limit_barriers",
    "launch__occupancy_limit_blocks",
    "launch__occupancy_limit_registers",
    "launch__occupancy_limit_shared_mem",
    "launch__occupancy_limit_warps",
    "launch__registers_per_thread",
    "launch__shared_mem_config_size",
    "launch__shared_mem_per_block_dynamic",
    "launch__shared_mem_per_block_static",
    "launch__thread_count",
    "launch__waves_per_multiprocessor",
    "lts__t_sector_hit_rate.pct",
    "lts__t_sectors_op_read.sum",
    "lts__t_sectors_op_write.sum",
    "sm__maximum_warps_per_active_cycle_pct",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "smsp__sass_inst_executed_op_tma_ld.sum",
    "smsp__sass_inst_executed_op_tma_st.sum",
};

/// What depends on how a problem's size compares with the caches.
constexpr const char* of_caches_and_dram[] = {
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__time_duration.sum",
    "l1tex__data_pipe_lsu_wavefronts.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_lg_cmd_read.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_lg_cmd_write.sum",
    "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sector_hit_rate.pct",
    "l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct",
    "l1tex__t_sector_pipe_lsu_mem_global_op_st_hit_rate.pct",
    "lts__t_sector_hit_rate.pct",
    "lts__t_sectors_op_read.sum",
    "lts__t_sectors_op_write.sum",
};

/// What each scheduler did in each cycle, and what each of its warps waited for: as long as a warp lives,
/// each cycle adds one to one of its reasons. Hardware counts them; nothing is sampled.
constexpr const char* of_schedulers_and_warps[] = {
    "smsp__cycles_active.sum",
    "smsp__cycles_elapsed.sum",
    "smsp__inst_executed.sum",
    "smsp__issue_active.sum",
    "smsp__thread_inst_executed.sum",
    "smsp__thread_inst_executed_pred_on.sum",
    "smsp__warps_active.sum",
    "smsp__warps_issue_stalled_barrier.sum",
    "smsp__warps_issue_stalled_branch_resolving.sum",
    "smsp__warps_issue_stalled_dispatch_stall.sum",
    "smsp__warps_issue_stalled_drain.sum",
    "smsp__warps_issue_stalled_gmma.sum",
    "smsp__warps_issue_stalled_imc_miss.sum",
    "smsp__warps_issue_stalled_lg_throttle.sum",
    "smsp__warps_issue_stalled_long_scoreboard.sum",
    "smsp__warps_issue_stalled_math_pipe_throttle.sum",
    "smsp__warps_issue_stalled_membar.sum",
    "smsp__warps_issue_stalled_mio_throttle.sum",
    "smsp__warps_issue_stalled_misc.sum",
    "smsp__warps_issue_stalled_no_instruction.sum",
    "smsp__warps_issue_stalled_not_selected.sum",
    "smsp__warps_issue_stalled_selected.sum",
    "smsp__warps_issue_stalled_short_scoreboard.sum",
    "smsp__warps_issue_stalled_sleeping.sum",
    "smsp__warps_issue_stalled_tex_throttle.sum",
    "smsp__warps_issue_stalled_wait.sum",
};

/// One record of a CSV table, quotes removed; moves `text` behind it.
std::vector<std::string> take_record(std::string_view& text) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  std::size_t at = 0;
  for (; at < text.size() && (quoted || text[at] != '\n'); ++at) {
    const char character = text[at];
    if (character == '"') {
      const bool doubled = quoted && at + 1 < text.size() && text[at + 1] == '"';
      if (doubled) fields.back() += text[++at];
      if (!doubled) quoted = !quoted;
    } else if (character == ',' && !quoted) {
      fields.emplace_back();
    } else if (character != '\r') {
      fields.back() += character;
    }
  }
  if (quoted) throw std::runtime_error("ncu's table ends inside a quoted field");
  text.remove_prefix(std::min(at + 1, text.size()));
  return fields;
}

/// A value as ncu prints it: digits in groups, or a note that there is none.
std::optional<double> number(std::string text) {
  std::erase(text, ',');
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// Messages of ncu, without its table.
bool has_message(std::string_view output, std::string_view words) {
  return output.find(words) != output.npos;
}

/// The first line in which ncu or the program complains.
std::string complaint(std::string_view output) {
  std::string last;
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    const std::string line(output.substr(0, end));
    output.remove_prefix(std::min(end + 1, output.size()));
    if (line.starts_with("==ERROR==")) return line.substr(std::min<std::size_t>(10, line.size()));
    if (!line.empty()) last = line;
  }
  return last.empty() ? "it said nothing" : last;
}

}  // namespace

const MetricGroups& all_metrics() {
  // Asked for hit rates in the same run, ncu gives sectors of stores that do not repeat, in places more than
  // the lanes can touch.
  static const MetricGroups groups = [] {
    std::vector<std::string> beside(std::begin(beside_the_model), std::end(beside_the_model));
    std::vector<std::string> exact(model::metric_names.begin(), model::metric_names.end());
    std::erase_if(exact,
                  [&](const std::string& name) { return std::ranges::find(beside, name) != beside.end(); });
    return MetricGroups{std::move(beside), std::move(exact)};
  }();
  return groups;
}

const MetricGroups& metrics_of_timed_size() {
  static const MetricGroups groups = [] {
    std::vector<std::string> names(std::begin(of_caches_and_dram), std::end(of_caches_and_dram));
    names.insert(names.end(), std::begin(of_schedulers_and_warps), std::end(of_schedulers_and_warps));
    return MetricGroups{std::move(names)};
  }();
  return groups;
}

std::vector<KernelCounters> parse_ncu_csv(std::string_view output, const std::vector<std::string>& asked) {
  std::size_t start = output.starts_with("\"ID\"") ? 0 : output.find("\n\"ID\"");
  if (start == output.npos) return {};
  if (start > 0) ++start;
  output.remove_prefix(start);
  const std::vector<std::string> names = take_record(output);
  take_record(output);  // units
  const auto kernel_name = std::ranges::find(names, "Kernel Name");
  if (kernel_name == names.end()) throw std::runtime_error("ncu's table has no column \"Kernel Name\"");

  std::vector<std::size_t> columns;
  for (std::size_t column = 0; column < names.size(); ++column) {
    if (std::ranges::find(asked, names[column]) != asked.end()) columns.push_back(column);
  }

  std::vector<KernelCounters> kernels;
  while (output.starts_with('"')) {
    const std::vector<std::string> fields = take_record(output);
    if (fields.size() != names.size())
      throw std::runtime_error("a row of ncu's table has not as many fields as its head");
    KernelCounters kernel{.kernel = fields[static_cast<std::size_t>(kernel_name - names.begin())],
                          .metrics = {}};
    for (const std::size_t column : columns) {
      if (const auto value = number(fields[column])) kernel.metrics[names[column]] = *value;
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

Json combine(const std::vector<KernelCounters>& kernels) {
  if (kernels.empty()) return Json::object();
  const auto seconds = [](const KernelCounters& kernel) {
    const auto found = kernel.metrics.find(std::string(duration));
    return found == kernel.metrics.end() ? 0.0 : found->second;
  };
  std::map<std::string, double> together = std::ranges::max_element(kernels, {}, seconds)->metrics;
  for (auto& [name, value] : together) {
    if (!name.ends_with(".sum")) continue;
    value = 0;
    for (const KernelCounters& kernel : kernels) {
      if (const auto found = kernel.metrics.find(name); found != kernel.metrics.end()) value += found->second;
    }
  }
  Json metrics = Json::object();
  for (const auto& [name, value] : together) {
    constexpr double exact = 9007199254740992.0;  // 2^53
    if (value == std::floor(value) && std::abs(value) < exact) {
      metrics[name] = static_cast<std::int64_t>(value);
    } else {
      metrics[name] = value;
    }
  }
  return metrics;
}

Json NsightCompute::count(const std::vector<std::string>& command, const MetricGroups& groups) {
  Json together = Json::object();
  for (const std::vector<std::string>& metrics : groups) {
    const Json counted = count(command, metrics);
    if (counted.empty()) break;  // it launches no kernel
    together.update(counted);
  }
  return together;
}

Json NsightCompute::count(const std::vector<std::string>& command, std::vector<std::string> metrics) {
  const auto is_unknown = [&](const std::string& metric) {
    return std::ranges::find(unknown_, metric) != unknown_.end();
  };
  std::erase_if(metrics, is_unknown);
  const TemporaryFolder folder;
  const auto log = folder.path() / "ncu.txt";
  while (true) {
    std::string names;
    for (const std::string& metric : metrics) {
      if (!names.empty()) names += ',';
      names += metric;
    }
    // What ncu says tells more than its exit status.
    std::vector<std::string> profiled{"ncu",  "--csv",           "--page", "raw",       "--print-units",
                                      "base", "--clock-control", "none",   "--metrics", names};
    profiled.insert(profiled.end(), command.begin(), command.end());
    try {
      run({profiled, log});
    } catch (const std::system_error&) {
      throw CannotCount("no ncu on PATH: Nsight Compute comes with the CUDA toolkit");
    }
    const std::string output = read_text(log);
    if (has_message(output, "ERR_NVGPUCTRPERM")) {
      throw CannotCount(
          "this user may not read the GPU's counters (ERR_NVGPUCTRPERM): run it as root, or have the driver "
          "loaded with "
          "NVreg_RestrictProfilingToAdminUsers=0");
    }
    if (has_message(output, "application returned an error")) throw std::runtime_error(complaint(output));
    const std::vector<KernelCounters> kernels = parse_ncu_csv(output, metrics);
    if (!kernels.empty()) return combine(kernels);
    if (has_message(output, "No kernels were profiled")) return Json::object();
    if (!forget_metrics_named_in(output, metrics))
      throw std::runtime_error("ncu failed: " + complaint(output));
  }
}

bool NsightCompute::forget_metrics_named_in(std::string_view output, std::vector<std::string>& metrics) {
  const auto named = [&](const std::string& metric) {
    return has_message(output, metric.substr(0, metric.find('.')));
  };
  const auto forgotten = std::ranges::stable_partition(metrics, std::not_fn(named));
  if (forgotten.empty() || forgotten.size() == metrics.size()) return false;
  unknown_.insert(unknown_.end(), forgotten.begin(), forgotten.end());
  metrics.erase(forgotten.begin(), forgotten.end());
  return true;
}

}  // namespace weft
