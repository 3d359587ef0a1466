#pragma once

/// @file
/// How many bytes the L2 asks the DRAM for at a time, as an axis of an experiment.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "step/axes.hpp"

namespace weft {

/// The values of the axis `granularity`, in bytes. The first is what a card has unless it is told otherwise.
inline const std::vector<std::int64_t> fetch_granularities{64, 32, 128};

/// Sets the granularity of a setting while the result lives.
inline std::shared_ptr<void> fetch_granularity(const Setting& at) {
  const auto set = [](std::size_t bytes) {
    return cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, bytes);
  };
  std::size_t before = 0;
  cuda_check(cudaDeviceGetLimit(&before, cudaLimitMaxL2FetchGranularity));
  cuda_check(set(static_cast<std::size_t>(at.number("granularity"))));
  return {nullptr, [=](void*) { static_cast<void>(set(before)); }};
}

}  // namespace weft
