#pragma once

/// @file
/// Hardware counters of one launch, read by Nsight Compute's command line.

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "benchmark/results/results.hpp"

namespace weft {

/// Nsight Compute cannot count here at all: it is missing, or may not read the counters. The message says
/// what to do.
class CannotCount : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One profiled kernel: its name and the metrics that have a number.
struct KernelCounters {
  std::string kernel;
  std::map<std::string, double> metrics;
};

/// Names of metrics in groups: ncu is asked for one group at a time.
using MetricGroups = std::vector<std::vector<std::string>>;

/// All that is published of a launch that is counted in full. What must be exact is a group of its own, the
/// last.
const MetricGroups& all_metrics();

/// What a launch of the timed size is counted for: what caches and DRAM have a say in, and what schedulers
/// and warps did in its cycles.
const MetricGroups& metrics_of_timed_size();

/// Reads what `ncu --csv --page raw --print-units base` printed, its own messages before the table included.
/// @param asked the metrics to take: ncu adds others of its own, more of them than were asked for
/// @throws std::runtime_error if there is a table that cannot be read
std::vector<KernelCounters> parse_ncu_csv(std::string_view output, const std::vector<std::string>& asked);

/// One launch's metrics: counts (`….sum`) are added over its kernels, everything else is the longest
/// kernel's.
Json combine(const std::vector<KernelCounters>& kernels);

/// Counts launches, one program run for each group of metrics. Remembers which metrics this GPU does not
/// know, so that asking for them fails once only.
class NsightCompute {
 public:
  /// Runs `command` under ncu.
  /// @return the metrics by name; empty if the command launched no kernel
  /// @throws CannotCount if no command could be counted here, std::runtime_error if this one could not
  Json count(const std::vector<std::string>& command, const MetricGroups& groups);

  /// The metrics that this GPU or this version of ncu does not know.
  [[nodiscard]] const std::vector<std::string>& unknown() const { return unknown_; }

 private:
  /// Counts one group of metrics, from which those are taken that are unknown here.
  Json count(const std::vector<std::string>& command, std::vector<std::string> metrics);
  bool forget_metrics_named_in(std::string_view output, std::vector<std::string>& metrics);

  std::vector<std::string> unknown_;
};

}  // namespace weft
