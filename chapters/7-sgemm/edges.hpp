#pragma once

/// @file
/// What a product needs beside whole tiles: factors whose rows begin at multiples of 16 bytes, and the last
/// columns where they are too few for tiles.

#include <cstdint>

#include "boxed.hpp"
#include "transpose.hpp"

namespace weft::hopper {

// [edges]
inline constexpr int most_narrow_columns = 4;

/// What is done before the tiles, each part by some blocks: the last columns of C if they are too few for
/// tiles, the transpose of A, and a copy of B if its rows begin anywhere.
struct Edges {
  Sgemm product;
  int tiled_columns;  ///< of C, in tiles
  std::int64_t transposed_pitch;
  float* copied_b;  ///< null: B is fetched as it lies
  std::int64_t copied_pitch;
  int narrow_blocks, transposing_blocks, copying_blocks;

  [[nodiscard]] int blocks() const { return narrow_blocks + transposing_blocks + copying_blocks; }
};
// [edges]

namespace edges {
inline constexpr int threads = transpose::threads;
inline constexpr int rows_of_warp = 8;
inline constexpr int rows_of_block = rows_of_warp * threads / 32;
inline constexpr int depth_at_once = 1024;
inline constexpr int copied_by_thread = 16;
inline constexpr int copied_by_block = copied_by_thread * threads;

// [copy]
/// Copies a part of a row of B. All words of a thread are on their way before the first is stored.
static __device__ void copy_b(const Edges& edges, int block) {
  const int parts = (edges.tiled_columns + copied_by_block - 1) / copied_by_block;
  const std::int64_t row = block / parts;
  const int first = block % parts * copied_by_block + static_cast<int>(threadIdx.x);
  const float* const from = edges.product.b + row * edges.product.ldb;
  float* const to = edges.copied_b + row * edges.copied_pitch;
  float own[copied_by_thread] = {};
#pragma unroll
  for (int i = 0; i < copied_by_thread; ++i) {
    if (first + i * threads < edges.tiled_columns) own[i] = from[first + i * threads];
  }
#pragma unroll
  for (int i = 0; i < copied_by_thread; ++i) {
    if (first + i * threads < edges.tiled_columns) to[first + i * threads] = own[i];
  }
}
// [copy]

// [narrow]
/// Columns of B that are too few for a tile: of some steps along the depth.
using NarrowColumns = float[most_narrow_columns][depth_at_once];

/// The last columns of C, some rows of them: each is a sum along a row of A, and the lanes share it.
static __device__ void multiply_narrow(const Sgemm& p, int first_column, int block, NarrowColumns& of_b) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int columns = p.n - first_column;
  const std::int64_t first_row =
      std::int64_t{block} * rows_of_block +
      threadIdx.x / 32 * rows_of_warp;  // NOLINT(bugprone-implicit-widening-of-multiplication-result)
  float sums[rows_of_warp][most_narrow_columns] = {};
  for (int first = 0; first < p.k; first += depth_at_once) {
    const int depth = min(depth_at_once, p.k - first);
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < depth; i += threads) {
#pragma unroll
      for (int j = 0; j < most_narrow_columns; ++j) {
        of_b[j][i] = j < columns ? p.b[(first + i) * p.ldb + first_column + j] : 0;
      }
    }
    __syncthreads();
#pragma unroll 2
    for (int i = lane; i < depth; i += 32) {
      float a[rows_of_warp];
#pragma unroll
      for (int row = 0; row < rows_of_warp; ++row) {
        a[row] = first_row + row < p.m ? p.a[(first_row + row) * p.lda + first + i] : 0;
      }
#pragma unroll
      for (int row = 0; row < rows_of_warp; ++row) {
#pragma unroll
        for (int j = 0; j < most_narrow_columns; ++j) sums[row][j] = fmaf(a[row], of_b[j][i], sums[row][j]);
      }
    }
  }
#pragma unroll
  for (int row = 0; row < rows_of_warp; ++row) {
#pragma unroll
    for (int j = 0; j < most_narrow_columns; ++j) {
      float sum = sums[row][j];
#pragma unroll
      for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(~0U, sum, apart);
      if (lane == 0 && j < columns && first_row + row < p.m) {
        update(&p.c[(first_row + row) * p.ldc + first_column + j], p.alpha, sum, p.beta);
      }
    }
  }
}
// [narrow]

// [prepare]
static __global__ __launch_bounds__(threads) void prepare(const __grid_constant__ Edges edges) {
  __shared__ union {
    NarrowColumns of_b;
    transpose::Words words;
  } shared;
  const Sgemm& p = edges.product;
  int block = static_cast<int>(blockIdx.x);
  if (block < edges.narrow_blocks) return multiply_narrow(p, edges.tiled_columns, block, shared.of_b);
  block -= edges.narrow_blocks;
  if (block >= edges.transposing_blocks) return copy_b(edges, block - edges.transposing_blocks);
  const int tiles_across = (p.k + transpose::tile - 1) / transpose::tile;
  // NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result): an extent is an int
  transpose::tile_of_a(block / tiles_across * transpose::tile, block % tiles_across * transpose::tile,
                       shared.words, p.m, p.k, p.a, p.lda, p.workspace, edges.transposed_pitch);
  // NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
}
// [prepare]

}  // namespace edges

// [edges-of]
/// The last columns are narrow if some of C lie behind those in tiles.
inline Edges edges_of(const Sgemm& p, int tiled_columns) {
  const bool copies = !has_boxes(p.b, p.k, p.n, p.ldb);
  const std::int64_t tiles_of_a = blocks_over(p.m, transpose::tile) * blocks_over(p.k, transpose::tile);
  const std::int64_t parts_of_b = p.k * blocks_over(tiled_columns, edges::copied_by_block);
  const std::int64_t narrow = tiled_columns < p.n ? blocks_over(p.m, edges::rows_of_block) : 0;
  return {p,
          tiled_columns,
          transposed_pitch(p.m),
          copies ? p.workspace + BoxedWorkspace(p.m, p.n, p.k).transposed : nullptr,
          transposed_pitch(p.n),
          static_cast<int>(narrow),
          static_cast<int>(tiles_of_a),
          copies ? static_cast<int>(parts_of_b) : 0};
}
// [edges-of]

// [store-words]
/// Room for eight rows of each warp's part of a tile; the rows lie so that they meet all banks.
struct StoredRows {
  static constexpr int pitch = warp_columns + 4;
  float words[warps][lanes_down][pitch];
};

/// Writes a thread's sums where rows begin anywhere: the warp's rows go through shared memory, so that lanes
/// side by side store words side by side.
/// @param row_of from a lane and i, the row of C in its tile that the lane's sums[i] belong to
__device__ inline void store_words(const Output& c, TileOrder::Tile tile, const Sums& sums, StoredRows& rows,
                                   int warp, int lane, auto row_of) {
  auto& words = rows.words[warp];
  const int first_column = tile.first_column + column_of(warp, 0, 0) + lane;
#pragma unroll
  for (int i = 0; i < thread_rows; ++i) {
    __syncwarp();
#pragma unroll
    for (int j = 0; j < thread_columns; j += 4) {
      *reinterpret_cast<float4*>(&words[lane_down(lane)][column_of(0, lane, j)]) = {
          c.alpha * sums[i][j], c.alpha * sums[i][j + 1], c.alpha * sums[i][j + 2], c.alpha * sums[i][j + 3]};
    }
    __syncwarp();
#pragma unroll
    for (int down = 0; down < lanes_down; ++down) {
      const int row = tile.first_row + row_of(down % 2 + down / 2 * 4, i);
      if (row >= c.rows) continue;
#pragma unroll
      for (int across = 0; across < warp_columns; across += 32) {
        if (first_column + across >= c.columns) continue;
        float* const to = &c.data[row * c.pitch + first_column + across];
        const float product = words[down][across + lane];
        *to = c.beta == 0 ? product : fmaf(c.beta, *to, product);
      }
    }
  }
}
// [store-words]

}  // namespace weft::hopper
