#pragma once

/// @file
/// The transpose of A, by chapter 6's padded tile, for steps that read A down its columns.

#include "problem.hpp"

namespace weft {

namespace transpose {
inline constexpr int tile = 32;
inline constexpr dim3 block{tile, 8};
}  // namespace transpose

// [transpose]
/// Writes the transpose of A, of k rows that lie `pitch` floats apart.
static __global__ void transpose_a(int m, int k, const float* __restrict__ a, std::int64_t lda,
                                   float* __restrict__ out, std::int64_t pitch) {
  using transpose::block;
  using transpose::tile;
  __shared__ float words[tile][tile + 1];
  const std::int64_t first_row = block_y() * tile;
  const std::int64_t first_column = block_x() * tile;
  const int x = threadIdx.x;
#pragma unroll
  for (int y = threadIdx.y; y < tile; y += block.y) {
    const std::int64_t row = first_row + y;
    const std::int64_t column = first_column + x;
    if (row < m && column < k) words[y][x] = a[row * lda + column];
  }
  __syncthreads();
#pragma unroll
  for (int y = threadIdx.y; y < tile; y += block.y) {
    const std::int64_t row = first_row + x;
    const std::int64_t column = first_column + y;
    if (row < m && column < k) out[column * pitch + row] = words[x][y];
  }
}

/// The distance of two rows of the transpose: each begins on 16 bytes.
inline std::int64_t transposed_pitch(std::int64_t m) { return blocks_over(m, 4) * 4; }

/// Queues the transpose of A into the workspace.
inline void queue_transpose(cudaStream_t stream, const Sgemm& p) {
  if (p.k == 0) return;
  const dim3 grid = grid_over(p.k, p.m, {transpose::tile, transpose::tile});
  transpose_a<<<grid, transpose::block, 0, stream>>>(p.m, p.k, p.a, p.lda, p.workspace,
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
