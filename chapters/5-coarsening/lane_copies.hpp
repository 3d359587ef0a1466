#pragma once

/// @file
/// What the histograms have in common in which each lane has a copy of the bins: the counters of a lane lie
/// one below the other, in a bank of their own.

#include "merge.hpp"

namespace weft {

inline constexpr int threads = 1024;
inline constexpr int blocks_of_multiprocessor = 1;

// [coming]
/// Vectors of a thread that are on their way while it counts those before them. The threads of all blocks lie
/// side by side.
template <int loads>
struct Coming {
  uint4 vectors[loads];

  static __device__ std::int64_t first() { return block_x() * threads + threadIdx.x; }
  /// From one of a thread's vectors to its next.
  static __device__ std::int64_t apart() { return std::int64_t{gridDim.x} * threads; }

  __device__ void ask(const uint4* in, std::int64_t from, std::int64_t end) {
#pragma unroll
    for (int i = 0; i < loads; ++i) {
      if (from + apart() * i < end) vectors[i] = __ldcs(&in[from + apart() * i]);
    }
  }
};
// [coming]

// [count]
/// Adds one for each of a word's bytes.
/// @param column a lane's counters
__device__ inline void count_bytes(std::uint32_t (*column)[model::warp_size], std::uint32_t word) {
#pragma unroll
  for (int shift = 0; shift < 32; shift += 8) atomicAdd(&column[word >> shift & 0xFF][0], 1U);
}

/// What all lanes have counted of a bin. Neighbouring threads, which sum up neighbouring bins, begin in
/// neighbouring banks.
__device__ inline std::uint32_t sum_of_copies(const std::uint32_t (*table)[model::warp_size], int bin) {
  std::uint32_t sum = 0;
#pragma unroll
  for (int i = 0; i < model::warp_size; ++i) sum += table[bin][(bin + i) % 32];
  return sum;
}
// [count]

/// Of as many bytes as give each warp whole vectors. Whatever they are, no two lanes meet in a bank.
/// @param atomics of all threads
inline model::Prediction predict_lane_copies(std::int64_t count, std::int64_t atomics) {
  const std::int64_t vectors = count / bytes_of_vector;
  const std::int64_t blocks = blocks_for(vectors, threads, blocks_of_multiprocessor);
  model::Prediction prediction;
  prediction.global_load(vectors / model::warp_size, 16, own_lane)
      .shared_store(blocks * 256, 4, own_lane)
      .shared_atomic(atomics / model::warp_size, own_lane);
  predict_merge(prediction, blocks, threads, 256, model::warp_size);
  return prediction;
}

}  // namespace weft
