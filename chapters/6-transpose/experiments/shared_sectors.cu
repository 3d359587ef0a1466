// The output's order with boundaries of blocks that lie some words early: two blocks meet inside a sector, or
// not.
#include "problem.hpp"

namespace {
constexpr int tile = 64;
constexpr int pitch = tile + 1;
constexpr dim3 block{32, 16};
constexpr int threads = block.x * block.y;
constexpr int blocks_per_multiprocessor = 4;

__global__ __launch_bounds__(threads, blocks_per_multiprocessor) void transpose_shared_sectors(
    const float* __restrict__ in, float* __restrict__ out, std::int64_t rows, std::int64_t columns,
    int early_block, int early_request) {
  __shared__ float words[tile][pitch];
  const std::int64_t first_row = block_x() * tile - early_block;
  const std::int64_t first_column = block_y() * tile;

  float moved[tile / block.y][tile / block.x] = {};
#pragma unroll
  for (int i = 0; i < tile / block.y; ++i) {
#pragma unroll
    for (int j = 0; j < tile / block.x; ++j) {
      const std::int64_t row = first_row + threadIdx.y + std::int64_t{i} * block.y;
      const std::int64_t column = first_column + threadIdx.x + std::int64_t{j} * block.x;
      if (row >= 0 && row < rows && column < columns) moved[i][j] = in[row * columns + column];
    }
  }
#pragma unroll
  for (int i = 0; i < tile / block.y; ++i) {
#pragma unroll
    for (int j = 0; j < tile / block.x; ++j) {
      words[threadIdx.y + i * block.y][threadIdx.x + j * block.x] = moved[i][j];
    }
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < tile / block.y; ++i) {
#pragma unroll
    for (int j = 0; j <= tile / block.x; ++j) {  // one more, for the words that the others leave
      const int x = static_cast<int>(threadIdx.x + j * block.x) - early_request;
      const int y = threadIdx.y + i * block.y;
      if (x < 0 || x >= tile) continue;
      const std::int64_t row = first_row + x;
      const std::int64_t column = first_column + y;
      if (row >= 0 && row < rows && column < columns) out[column * rows + row] = words[x][y];
    }
  }
}

/// @param early words by which blocks begin early, and by which the requests of a block do
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out, const Numbers& early) {
  const dim3 grid = grid_over(in.rows + early[0], in.columns, {tile, tile});
  transpose_shared_sectors<<<grid, block, 0, stream>>>(
      in.data, out.data, in.rows, in.columns, static_cast<int>(early[0]), static_cast<int>(early[1]));
}
}  // namespace

void weft::register_steps() {
  const Axes axes = Axes(block).with_tuples("early", {{0, 0}, {8, 0}, {4, 0}, {0, 8}, {0, 4}});
  add_transpose("shared-sectors", axes, launch, {}, Kind::experiment);
}
