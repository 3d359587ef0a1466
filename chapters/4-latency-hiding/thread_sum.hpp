#pragma once

/// @file
/// What a thread adds up by itself, with several loads on their way at a time.

#include <cuda_runtime.h>
#include <device_launch_parameters.h>

#include <cstdint>

#include "problem.hpp"

namespace weft {

__device__ inline void add_to(float4& sum, float4 other) {
  sum.x += other.x;
  sum.y += other.y;
  sum.z += other.z;
  sum.w += other.w;
}

// [load]
/// A vector of four floats.
/// @tparam streamed the first to leave the L2 again: nobody else reads it, and what lies there stays
template <bool streamed>
__device__ float4 load(const float4* from) {
  if constexpr (streamed) return __ldcs(from);
  return *from;
}
// [load]

// [rest]
/// The sum of what this thread takes of the last tile, which is not whole. It stands apart: its instructions
/// need not be fetched where all tiles are whole.
template <int threads, int loads, bool streamed>
__device__ __noinline__ float sum_of_rest(const float* __restrict__ in, std::int64_t count,
                                          std::int64_t tile) {
  const auto* const fours = reinterpret_cast<const float4*>(in);
  float4 found[loads];
  float4 sum{};
#pragma unroll
  for (int i = 0; i < loads; ++i) {
    const std::int64_t place = (tile * loads + i) * threads + threadIdx.x;
    found[i] = place < count / 4 ? load<streamed>(&fours[place]) : float4{};
  }
#pragma unroll
  for (const float4 four : found) add_to(sum, four);
  const float left = threadIdx.x < count % 4 ? in[count / 4 * 4 + threadIdx.x] : 0;
  return (sum.x + sum.y) + (sum.z + sum.w) + left;
}
// [rest]

// [thread]
/// The sum of what this thread takes of the floats: from each of its block's tiles so many vectors of four.
/// All of them are on their way before the first is added.
/// @param tile the block's first, counted in tiles; @param apart the next is so many further
/// @param end its last lies before this one
template <int threads, int loads, bool streamed = false>
__device__ float sum_of_tiles(const float* __restrict__ in, std::int64_t count, std::int64_t tile,
                              std::int64_t apart, std::int64_t end) {
  const auto* const fours = reinterpret_cast<const float4*>(in);
  const std::int64_t whole_tiles = count / (std::int64_t{4} * loads * threads);
  float4 sum{};
#pragma unroll 1
  for (; tile < min(end, whole_tiles); tile += apart) {
    float4 found[loads];
#pragma unroll
    for (int i = 0; i < loads; ++i)
      found[i] = load<streamed>(&fours[(tile * loads + i) * threads + threadIdx.x]);
#pragma unroll
    for (const float4 four : found) add_to(sum, four);
  }
  const float of_whole = (sum.x + sum.y) + (sum.z + sum.w);
  if (tile != whole_tiles || tile >= end) return of_whole;
  return of_whole + sum_of_rest<threads, loads, streamed>(in, count, tile);
}
// [thread]

/// What the threads of all blocks load of so many floats.
inline void predict_tiles(model::Prediction& prediction, std::int64_t count) {
  predict_loads(prediction, count / 4, 16);
  predict_loads(prediction, count % 4, 4);
}

/// At least one, and the last may not be whole.
inline std::int64_t tiles_of(std::int64_t count, int threads, int loads) {
  return max(std::int64_t{1}, blocks_over(count, std::int64_t{threads} * loads * 4));
}

}  // namespace weft
