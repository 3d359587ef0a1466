#pragma once

/// @file
/// What the kernels have in common that copy to a ring of stages, and how they are launched.

#include <cuda_runtime.h>

#include "staged.hpp"

namespace weft {

__device__ inline std::uint32_t sum_of_four(uint4 words) { return words.x + words.y + words.z + words.w; }

/// Leaves the sum of a warp's words.
/// @param warps of a block that do so
__device__ inline void store_sum_of_warp(std::uint32_t sum, std::uint32_t* sums, unsigned warps) {
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(~0U, sum, apart);
  if (threadIdx.x % 32 == 0) sums[blockIdx.x * warps + threadIdx.x / 32] = sum;
}

/// Queues a kernel whose blocks have the ring.
template <class... Parameters, class... Arguments>
void launch_with_ring(const Staged& staged, cudaStream_t stream, void (*kernel)(Parameters...), dim3 block,
                      const Arguments&... arguments) {
  const int bytes = staged.ring_bytes();
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  kernel<<<static_cast<unsigned>(staged.blocks), block, static_cast<std::size_t>(bytes), stream>>>(
      arguments...);
}

}  // namespace weft
