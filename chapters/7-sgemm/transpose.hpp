#pragma once

/// @file
/// The transpose of A, by chapter 6's padded tile, for steps that read A down its columns.

#include "kernel/early_launch.hpp"
#include "problem.hpp"

namespace weft {

namespace transpose {
inline constexpr int tile = 64;
inline constexpr int threads = 256;
inline constexpr int rows_at_once = threads / tile;
inline constexpr int held = tile / rows_at_once;  ///< words of a thread
}  // namespace transpose

// [transpose]
namespace transpose {
using Words = float[tile][tile + 1];

/// Writes a tile of the transpose of A, of k rows that lie `pitch` floats apart. All words of a thread are on
/// their way before the first is stored.
static __device__ void tile_of_a(std::int64_t first_row, std::int64_t first_column, Words& words, int m,
                                 int k, const float* __restrict__ a, std::int64_t lda,
                                 float* __restrict__ out, std::int64_t pitch) {
  const int x = static_cast<int>(threadIdx.x) % tile;
  const int y = static_cast<int>(threadIdx.x) / tile;
  float own[held];
  // NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result): it is less than a tile
#pragma unroll
  for (int i = 0; i < held; ++i) {
    const std::int64_t row = first_row + y + i * rows_at_once;
    own[i] = row < m && first_column + x < k ? a[row * lda + first_column + x] : 0;
  }
#pragma unroll
  for (int i = 0; i < held; ++i) words[y + i * rows_at_once][x] = own[i];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < held; ++i) {
    const std::int64_t column = first_column + y + i * rows_at_once;
    if (first_row + x < m && column < k) out[column * pitch + first_row + x] = words[x][y + i * rows_at_once];
  }
  // NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
}
}  // namespace transpose

/// Writes the transpose of A.
static __global__ __launch_bounds__(transpose::threads) void transpose_a(int m, int k,
                                                                         const float* __restrict__ a,
                                                                         std::int64_t lda,
                                                                         float* __restrict__ out,
                                                                         std::int64_t pitch) {
  let_next_start();
  __shared__ transpose::Words words;
  transpose::tile_of_a(block_y() * transpose::tile, block_x() * transpose::tile, words, m, k, a, lda, out,
                       pitch);
}

/// The distance of two rows of the transpose: each begins on 16 bytes.
inline std::int64_t transposed_pitch(std::int64_t m) { return blocks_over(m, 4) * 4; }

/// Queues the transpose of A into the workspace.
inline void queue_transpose(cudaStream_t stream, const Sgemm& p) {
  if (p.k == 0) return;
  const dim3 grid = grid_over(p.k, p.m, {transpose::tile, transpose::tile});
  transpose_a<<<grid, transpose::threads, 0, stream>>>(p.m, p.k, p.a, p.lda, p.workspace,
                                                       transposed_pitch(p.m));
}
// [transpose]

// [predict]
/// What the transpose adds to a step's counts.
inline model::Prediction predict_transpose(std::int64_t m, std::int64_t k) {
  const std::int64_t warps = m * k / model::warp_size;
  return model::Prediction{}
      .global_load(warps, 4, [](int lane) { return lane; })
      .shared_store(warps, 4, [](int lane) { return lane; })
      .shared_load(warps, 4, [](int lane) { return lane * (transpose::tile + 1); })
      .global_store(warps, 4, [](int lane) { return lane; });
}
// [predict]

}  // namespace weft
