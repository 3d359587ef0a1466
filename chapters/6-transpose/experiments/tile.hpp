#pragma once

/// @file
/// The tile's transpose with its shape left open.

#include <cuda_runtime.h>

#include <cstdint>

#include "kernel/grid.hpp"
#include "problem.hpp"

namespace weft::tile {

/// A tile of rows × columns words of the input, whose rows lie `pitch` words apart in shared memory. Each
/// thread moves `words`.
template <int rows_, int columns_, int pitch_, int words_>
struct Shape {
  static constexpr int rows = rows_;
  static constexpr int columns = columns_;
  static constexpr int pitch = pitch_;
  static constexpr int words = words_;
  static constexpr dim3 block{32, rows * columns / words / 32};
  static constexpr int threads = block.x * block.y;
  static constexpr int blocks_per_multiprocessor = 2048 / threads;  // all that fit: at most 32 registers each
};

template <typename Shape>
static __global__ __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor) void transpose_by_tiles(
    const float* __restrict__ in, float* __restrict__ out, std::int64_t rows, std::int64_t columns) {
  constexpr int down = Shape::rows;
  constexpr int across = Shape::columns;
  constexpr dim3 block = Shape::block;
  __shared__ float words[down][Shape::pitch];
  const std::int64_t first_row = block_y() * down;
  const std::int64_t first_column = block_x() * across;

  float moved[down / block.y][across / block.x] = {};
#pragma unroll
  for (int i = 0; i < down / block.y; ++i) {
#pragma unroll
    for (int j = 0; j < across / block.x; ++j) {
      const std::int64_t row = first_row + threadIdx.y + std::int64_t{i} * block.y;
      const std::int64_t column = first_column + threadIdx.x + std::int64_t{j} * block.x;
      if (row < rows && column < columns) moved[i][j] = in[row * columns + column];
    }
  }
#pragma unroll
  for (int i = 0; i < down / block.y; ++i) {
#pragma unroll
    for (int j = 0; j < across / block.x; ++j) {
      words[threadIdx.y + i * block.y][threadIdx.x + j * block.x] = moved[i][j];
    }
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < across / block.y; ++i) {
#pragma unroll
    for (int j = 0; j < down / block.x; ++j) {
      const int x = threadIdx.x + j * block.x;
      const int y = threadIdx.y + i * block.y;
      if (first_row + x < rows && first_column + y < columns) {
        out[(first_column + y) * rows + first_row + x] = words[x][y];
      }
    }
  }
}

template <typename Shape>
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  const dim3 grid = grid_over(in.columns, in.rows, {Shape::columns, Shape::rows});
  transpose_by_tiles<Shape><<<grid, Shape::block, 0, stream>>>(in.data, out.data, in.rows, in.columns);
}

/// What is counted of any shape: rows on both sides of global memory, columns of the tile `pitch` apart.
inline model::Prediction predict(std::int64_t rows, std::int64_t columns, int pitch) {
  const std::int64_t warps = rows * columns / model::warp_size;
  return model::Prediction{}
      .global_load(warps, 4, [](int lane) { return lane; })
      .shared_store(warps, 4, [](int lane) { return lane; })
      .shared_load(warps, 4, [&](int lane) { return lane * pitch; })
      .global_store(warps, 4, [](int lane) { return lane; });
}

}  // namespace weft::tile
