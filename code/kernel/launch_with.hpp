#pragma once

/// @file
/// Launching a kernel with more than a grid to say.

#include <cuda_runtime.h>

#include <array>
#include <cstddef>

#include "step/vocabulary.hpp"

namespace weft {

// [launch-with]
/// All blocks run at the same time: so they may wait for one another. Where the card cannot hold so many, the
/// launch fails, with cudaErrorCooperativeLaunchTooLarge.
inline cudaLaunchAttribute together() {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  return attribute;
}

/// Queues a kernel.
template <std::size_t count, class... Parameters>
void launch_with(std::array<cudaLaunchAttribute, count> attributes, cudaStream_t stream,
                 void (*kernel)(Parameters...), int blocks, int threads, int shared_bytes,
                 const Parameters&... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = static_cast<unsigned>(blocks);
  config.blockDim = static_cast<unsigned>(threads);
  config.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
  config.stream = stream;
  config.attrs = attributes.data();
  config.numAttrs = count;
  cuda_check(cudaLaunchKernelEx(&config, kernel, arguments...));
}
// [launch-with]

}  // namespace weft
