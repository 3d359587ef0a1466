#pragma once

/// @file
/// What a block makes of its threads' sums.

#include <cuda_runtime.h>
#include <device_launch_parameters.h>

#include <cstdint>

#include "problem.hpp"
#include "thread_sum.hpp"

namespace weft {

// [tree]
/// The sum of all threads' parts, in the first thread: a tree in shared memory, with a barrier for each
/// level.
template <int threads>
__device__ float block_sum_by_tree(float part) {
  __shared__ float parts[threads];
  parts[threadIdx.x] = part;
#pragma unroll 1
  for (unsigned apart = threads / 2; apart > 0; apart /= 2) {
    __syncthreads();
    if (threadIdx.x < apart) parts[threadIdx.x] += parts[threadIdx.x + apart];
  }
  return parts[0];
}
// [tree]

// [shuffles]
/// The sum of all lanes' parts, in each lane.
__device__ inline float warp_sum(float part) {
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) part += __shfl_xor_sync(~0U, part, apart);
  return part;
}

/// The sum of all threads' parts, in the first thread: shuffles in each warp and one barrier. The first
/// thread adds up what the warps leave, which it loads four at a time: shuffles would take longer.
template <int threads>
__device__ float block_sum(float part) {
  constexpr int warps = threads / model::warp_size;
  __shared__ float4 parts[warps / 4];
  part = warp_sum(part);
  if (threadIdx.x % model::warp_size == 0)
    reinterpret_cast<float*>(parts)[threadIdx.x / model::warp_size] = part;
  __syncthreads();
  if (threadIdx.x != 0) return 0;
  float4 sum = parts[0];
#pragma unroll
  for (int i = 1; i < warps / 4; ++i) add_to(sum, parts[i]);
  return (sum.x + sum.y) + (sum.z + sum.w);
}
// [shuffles]

/// A level of a tree: of each block some warps have lanes that take part. The others are issued the
/// instructions, too: these are too few to be jumped over.
template <int threads, typename ElementOfLane>
void predict_level(model::Prediction& prediction, std::int64_t blocks, int warps,
                   const ElementOfLane& element) {
  const std::int64_t idle = blocks * (threads / model::warp_size - warps);
  prediction.shared_load(2 * blocks * warps, 4, element)
      .shared_store(blocks * warps, 4, element)
      .skipped_shared_load(2 * idle)
      .skipped_shared_store(idle);
}

/// The levels of block_sum_by_tree(), from half of the threads on.
template <int threads>
void predict_levels(model::Prediction& prediction, std::int64_t blocks) {
  for (int apart = threads / 2; apart > 0; apart /= 2) {
    predict_level<threads>(prediction, blocks, max(1, apart / model::warp_size),
                           [=](int lane) { return lane < apart ? model::Element(lane) : model::Element(); });
  }
}

template <int threads>
void predict_block_sum_by_tree(model::Prediction& prediction, std::int64_t blocks) {
  prediction.shared_store(blocks * (threads / model::warp_size), 4, own_lane);
  predict_levels<threads>(prediction, blocks);
  prediction.shared_load(blocks, 4, first_lane);
}

template <int threads>
void predict_block_sum(model::Prediction& prediction, std::int64_t blocks) {
  constexpr int warps = threads / model::warp_size;
  prediction.shared_store(blocks * warps, 4, first_lane).shared_load(blocks * warps / 4, 16, first_lane);
}

}  // namespace weft
