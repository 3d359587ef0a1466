#pragma once

/// @file
/// On what a result was measured. Every field that the machine does not give is null.

#include <memory>

#include "benchmark/results.hpp"

namespace weft {

/// The GPU: name, compute capability, multiprocessors, memory and L2 in bytes.
Json describe_gpu();

/// Versions of what the times depend on: driver, CUDA runtime, cuBLAS (if there is one to load), NVBench.
Json describe_software();

/// Watches clocks, power, temperature and throttling while others measure.
class GpuMonitor {
 public:
  GpuMonitor();
  GpuMonitor(const GpuMonitor&) = delete;
  GpuMonitor& operator=(const GpuMonitor&) = delete;
  ~GpuMonitor();

  /// What was seen since the construction:
  /// {"clocks": {"sm_mhz": {"default","maximum","highest"}, "memory_mhz": likewise, "throttle_reasons": […]},
  ///  "ecc", "power_limit_w", "highest_power_w", "highest_temperature_c"}
  [[nodiscard]] Json readings() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weft
