#pragma once

/// @file
/// A transpose whose blocks write whole sectors in a matrix of any size.

#include <cuda_runtime.h>

#include <cstdint>

#include "kernel/evict_last.hpp"
#include "kernel/grid.hpp"
#include "problem.hpp"

namespace weft::aligned_output {

inline constexpr int sector = 8;  // words
inline constexpr int tile_rows = 128;
inline constexpr int tile_columns = 64;
inline constexpr dim3 block{32, 16};
inline constexpr int threads = block.x * block.y;
inline constexpr int blocks_per_multiprocessor = 3;  // 32 KiB of loads each

// [layout]
// A boundary lies up to seven words early: a tile holds the last sector's rows of the tile before it, too.
inline constexpr int held_rows = sector + tile_rows;

/// Where a word of the tile lies in shared memory. A warp reads every fourth row of a column at a time. With
/// an odd pitch these words lie in eight banks; with one word more after every 32 rows they lie in all 32.
__host__ __device__ constexpr int word_index(int row, int column) {
  constexpr int pitch = tile_columns + 1;
  constexpr int before = 32 - sector;  // so after rows 7, 39, …: row 8 is the first if rows begin on sectors
  return row * pitch + (row + before) / 32 + column;
}
inline constexpr int tile_words = word_index(held_rows - 1, tile_columns - 1) + 1;
// [layout]

/// How many words behind the start of a sector an address lies.
__host__ __device__ inline int words_into_sector(const float* address) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(address) / sizeof(float) % sector);
}

/// Whether rows of the output begin at different places in their sectors.
__host__ __device__ inline bool is_skewed(const float* out, std::int64_t rows) {
  return rows % sector != 0 || words_into_sector(out) != 0;
}

// [kernel]
static __global__ __launch_bounds__(threads, blocks_per_multiprocessor) void transpose_aligned_output(
    const float* __restrict__ in, float* __restrict__ out, std::int64_t rows, std::int64_t columns) {
  const L2Policy keep = evict_last();
  extern __shared__ float words[];
  const std::int64_t first_row = block_x() * tile_rows - sector;
  const std::int64_t first_column = block_y() * tile_columns;
  const int x = threadIdx.x;
  const int y = threadIdx.y;

  // Rows of the tile from `begin` to `end` exist and are needed, the first eight only if rows of the output
  // begin inside sectors: then they are skewed. Rows of the input begin inside sectors, too.
  // A sector that two blocks need is fetched once, since the load asks the L2 for the 256 bytes around it.
  const int begin = first_row >= 0 && is_skewed(out, rows) ? 0 : sector;
  const int end = static_cast<int>(min(rows - first_row, std::int64_t{held_rows}));
  const int width = static_cast<int>(min(columns - first_column, std::int64_t{tile_columns}));
  constexpr int passes = (held_rows + block.y - 1) / block.y;
  float moved[passes][tile_columns / block.x] = {};
  const float* from = in + (first_row + y) * columns + first_column;
#pragma unroll
  for (int i = 0; i < passes; ++i, from += block.y * columns) {
#pragma unroll
    for (int j = 0; j < tile_columns / block.x; ++j) {
      const int row = y + i * block.y;
      const int column = x + j * block.x;
      if (row >= begin && row < end && column < width) moved[i][j] = load_evict_last_256(&from[column], keep);
    }
  }
#pragma unroll
  for (int i = 0; i < passes; ++i) {
    const int row = y + i * block.y;
    if (row < begin || row >= end) continue;
#pragma unroll
    for (int j = 0; j < tile_columns / block.x; ++j) words[word_index(row, x + j * block.x)] = moved[i][j];
  }
  __syncthreads();
  // A thread's rows of the output lie 16 rows apart, so that all begin at the same place of a sector.
  static_assert(block.y % sector == 0);
  float* to = out + (first_column + y) * rows;
  const int first = sector - words_into_sector(to) + 4 * x;
  const std::int64_t row = first_row + first;
  to += row;
  const bool whole = row >= 0 && row + 3 < rows;
#pragma unroll
  for (int i = 0; i < tile_columns / block.y; ++i, to += block.y * rows) {
    const int column = y + i * block.y;
    if (column >= width) break;
    const float four[4] = {words[word_index(first, column)], words[word_index(first + 1, column)],
                           words[word_index(first + 2, column)], words[word_index(first + 3, column)]};
    if (whole) {
      // __stwb is a plain store, and always a whole one: the compiler may store a float4 in parts otherwise.
      __stwb(reinterpret_cast<float4*>(to), make_float4(four[0], four[1], four[2], four[3]));
    } else {
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        if (row + k >= 0 && row + k < rows) to[k] = four[k];
      }
    }
  }
}
// [kernel]

// [launch]
inline void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  const std::int64_t reach = in.rows + (is_skewed(out.data, in.rows) ? sector - 1 : 0);
  const dim3 grid = grid_over(reach, in.columns, {tile_rows, tile_columns});
  constexpr int shared_bytes = tile_words * sizeof(float);
  transpose_aligned_output<<<grid, block, shared_bytes, stream>>>(in.data, out.data, in.rows, in.columns);
}
// [launch]

}  // namespace weft::aligned_output
