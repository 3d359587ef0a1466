#pragma once

/// @file
/// What the blocks of a histogram do that takes one launch: each takes a share of the elements, and the one
/// that ends last leaves the sums of all.

#include <cuda_runtime.h>
#include <device_launch_parameters.h>

#include "histogram.hpp"

namespace weft {

inline constexpr int bytes_of_vector = 16;

/// Which vectors of 16 bytes a block takes: none takes more than one more than another.
struct Share {
  std::int64_t first, last;
};

__device__ inline Share share_of_block(std::int64_t vectors) {
  return {vectors * blockIdx.x / gridDim.x, vectors * (blockIdx.x + 1) / gridDim.x};
}

// [read]
/// Loads vectors that lie `threads` apart: all of them are on their way at the same time.
/// @param first of the vectors; those from `last` on belong to another block, and are not loaded
template <int threads, int loads>
__device__ void load_vectors(const uint4* in, std::int64_t first, std::int64_t last, uint4 (&found)[loads]) {
#pragma unroll
  for (int j = 0; j < loads; ++j) {
    const std::int64_t vector = first + std::int64_t{threads} * j;
    if (vector < last) found[j] = in[vector];
  }
}

/// Counts each word of the vectors that were loaded.
/// @param count of a word: `count(word)`
template <int threads, int loads, class Count>
__device__ void count_words(const uint4 (&found)[loads], std::int64_t first, std::int64_t last,
                            const Count& count) {
#pragma unroll
  for (int j = 0; j < loads; ++j) {
    if (first + std::int64_t{threads} * j >= last) break;
    count(found[j].x);
    count(found[j].y);
    count(found[j].z);
    count(found[j].w);
  }
}
// [read]

/// Blocks that all run at once, and of which none has less to do than a vector for each thread.
inline unsigned blocks_for(std::int64_t vectors, unsigned threads, int blocks_of_multiprocessor) {
  const std::int64_t most = std::int64_t{multiprocessors()} * blocks_of_multiprocessor;
  return static_cast<unsigned>(min(max(blocks_over(vectors, threads), std::int64_t{1}), most));
}

// [merge]
/// Where blocks meet: a counter in a line of its own, and a sum for each bin. All are zero before a launch
/// and behind it.
struct MeetingPoint {
  unsigned* ended;
  std::uint32_t* sums;

  explicit MeetingPoint(const Histogram& histogram)
      : ended(histogram.workspace), sums(histogram.workspace + words_of_line) {}

  static constexpr std::int64_t words_of_line = model::line_bytes / 4;
  static constexpr std::int64_t words_for(int bins) { return words_of_line + bins; }
};

/// Adds this block's counts to the sums. The block that is the last to do so moves the sums to where they
/// belong.
/// @param count of a bin: `count(bin)`; each bin is asked for once
template <int bins, class Count>
__device__ void merge(const MeetingPoint& point, std::uint32_t* to, const Count& count) {
  __shared__ bool is_last;
  for (int bin = static_cast<int>(threadIdx.x); bin < bins; bin += static_cast<int>(blockDim.x)) {
    atomicAdd(&point.sums[bin], count(bin));
  }
  __threadfence();  // who sees this block ended sees its counts
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicInc(point.ended, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  for (int bin = static_cast<int>(threadIdx.x); bin < bins; bin += static_cast<int>(blockDim.x)) {
    to[bin] = __ldcg(&point.sums[bin]);
    point.sums[bin] = 0;
  }
}
// [merge]

/// What blocks do beside counting whose table gives a count for each bin by so many loads of a warp.
inline void predict_merge(model::Prediction& prediction, std::int64_t blocks, std::int64_t threads,
                          std::int64_t bins, std::int64_t loads_of_count) {
  const std::int64_t warps = bins / model::warp_size;
  const auto one_word = [](int) { return 0; };
  prediction.shared_load(blocks * warps * loads_of_count, 4, own_lane)
      .shared_store(blocks, 4, first_lane)
      .shared_load(blocks * threads / model::warp_size, 4, one_word)
      .global_load(warps, 4, own_lane)
      .global_store(2 * warps, 4, own_lane);
}

}  // namespace weft
