#pragma once

/// @file
/// On what a result was measured. Every field that the machine does not give is null.

#include <string>
#include <vector>

#include "benchmark/results/results.hpp"

namespace weft {

/// The GPU: name, compute capability, multiprocessors, memory and L2 in bytes.
Json describe_gpu();

/// What tells the GPU from others of its kind: "GPU-" and its UUID; "unknown" if there is none.
std::string card();

/// Versions of what the times depend on: driver, CUDA runtime, cuBLAS (if there is one to load), NVBench.
Json describe_software();

/// The GPU's settings, and the extremes of what its meter said while the measurements were taken: "clocks",
/// "ecc", "power_limit_w", "highest_power_w", "highest_temperature_c".
Json describe_conditions(const std::vector<Json>& measurements);

}  // namespace weft
