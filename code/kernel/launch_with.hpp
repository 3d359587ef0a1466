#pragma once

/// @file
/// Launching a kernel with more than a grid to say.

#include <cuda_runtime.h>

#include "step/vocabulary.hpp"

namespace weft {

// [launch-with]
/// Queues a kernel with one attribute of its launch.
template <class... Parameters>
void launch_with(cudaLaunchAttribute attribute, cudaStream_t stream, void (*kernel)(Parameters...),
                 int blocks, dim3 block, int shared_bytes, const Parameters&... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = static_cast<unsigned>(blocks);
  config.blockDim = block;
  config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  cuda_check(cudaLaunchKernelEx(&config, kernel, arguments...));
}

/// Queues a kernel all of whose blocks run at the same time, so that they may wait for one another. Where the
/// card cannot hold so many, this fails, with cudaErrorCooperativeLaunchTooLarge.
template <class... Parameters>
void launch_together(cudaStream_t stream, void (*kernel)(Parameters...), int blocks, dim3 block,
                     int shared_bytes, const Parameters&... arguments) {
  cudaLaunchAttribute together{};
  together.id = cudaLaunchAttributeCooperative;
  together.val.cooperative = 1;
  launch_with(together, stream, kernel, blocks, block, shared_bytes, arguments...);
}
// [launch-with]

}  // namespace weft
