#pragma once

/// @file
/// Letting a multiprocessor hold no more than some blocks of a kernel: each takes its part of the shared
/// memory, and leaves it alone.

#include <cuda_runtime.h>

#include "model/device_limits.hpp"
#include "step/vocabulary.hpp"

namespace weft {

// [limited]
/// So many bytes of shared memory for each block that exactly this many blocks fit on a multiprocessor of
/// compute capability 9.0. The L1 is as large whatever their number is: all that may be shared is.
constexpr int bytes_for_each_of(int blocks) {
  constexpr model::DeviceLimits device = model::device_limits(9, 0);
  const std::int64_t share =
      device.shared_memory / blocks / device.shared_granularity * device.shared_granularity;
  const std::int64_t own = share - device.shared_reserved;
  return static_cast<int>(own < device.shared_per_block ? own : device.shared_per_block);
}

/// Queues a kernel of which a multiprocessor holds so many blocks at most.
template <class... Parameters, class... Arguments>
void launch_limited(int blocks_of_multiprocessor, cudaStream_t stream, void (*kernel)(Parameters...),
                    dim3 grid, dim3 block, const Arguments&... arguments) {
  const int bytes = bytes_for_each_of(blocks_of_multiprocessor);
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                  cudaSharedmemCarveoutMaxShared));
  kernel<<<grid, block, static_cast<std::size_t>(bytes), stream>>>(arguments...);
}
// [limited]

}  // namespace weft
