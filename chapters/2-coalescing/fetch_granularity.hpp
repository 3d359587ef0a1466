#pragma once

/// @file
/// How many bytes the L2 asks the DRAM for at a time, as an axis of an experiment.

#include <cuda_runtime_api.h>

#include <cstddef>

#include "problem.hpp"

namespace weft {

/// The values of the axis `granularity`, in bytes. The first is what a card has unless it is told otherwise.
inline const Numbers fetch_granularities{64, 32, 128};

/// Sets the granularity, in bytes.
/// @return what it was before
inline std::size_t set_fetch_granularity(std::size_t bytes) {
  std::size_t before = 0;
  cuda_check(cudaDeviceGetLimit(&before, cudaLimitMaxL2FetchGranularity));
  cuda_check(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, bytes));
  return before;
}

/// Sets the granularity of a setting.
inline std::size_t enter_fetch_granularity(const Setting& at) {
  return set_fetch_granularity(static_cast<std::size_t>(at.number("granularity")));
}

inline void leave_fetch_granularity(std::size_t before) {
  static_cast<void>(cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, before));
}

inline constexpr Surroundings fetch_granularity{enter_fetch_granularity, leave_fetch_granularity};

}  // namespace weft
