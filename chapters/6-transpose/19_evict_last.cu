// What was read stays in the L2 longer than what was written.
#include "kernel/evict_last.hpp"
#include "problem.hpp"

namespace {
constexpr int tile = 64;
constexpr int pitch = tile + 1;
constexpr dim3 block{32, 16};
constexpr int threads = block.x * block.y;
constexpr int blocks_per_multiprocessor = 4;  // 2048 threads, all that fit: no more than 32 registers each

// [kernel]
__global__ __launch_bounds__(threads, blocks_per_multiprocessor) void transpose_evict_last(
    const float* __restrict__ in, float* __restrict__ out, std::int64_t rows, std::int64_t columns) {
  const L2Policy keep = evict_last();
  __shared__ float words[tile][pitch];
  const std::int64_t first_row = block_x() * tile;
  const std::int64_t first_column = block_y() * tile;

  float moved[tile / block.y][tile / block.x] = {};
#pragma unroll
  for (int i = 0; i < tile / block.y; ++i) {
#pragma unroll
    for (int j = 0; j < tile / block.x; ++j) {
      const int x = threadIdx.x + j * block.x;
      const int y = threadIdx.y + i * block.y;
      const std::int64_t row = first_row + y;
      const std::int64_t column = first_column + x;
      if (row < rows && column < columns) moved[i][j] = load_evict_last(&in[row * columns + column], keep);
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
    for (int j = 0; j < tile / block.x; ++j) {
      const int x = threadIdx.x + j * block.x;
      const int y = threadIdx.y + i * block.y;
      const std::int64_t row = first_row + x;
      const std::int64_t column = first_column + y;
      if (row < rows && column < columns) out[column * rows + row] = words[x][y];
    }
  }
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  const dim3 grid = grid_over(in.rows, in.columns, {tile, tile});
  transpose_evict_last<<<grid, block, 0, stream>>>(in.data, out.data, in.rows, in.columns);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t rows, std::int64_t columns) {
  const std::int64_t warps = rows * columns / model::warp_size;
  return model::Prediction{}
      .global_load(warps, 4, [](int lane) { return lane; })
      .shared_store(warps, 4, [](int lane) { return lane; })
      .shared_load(warps, 4, [](int lane) { return lane * pitch; })
      .global_store(warps, 4, [](int lane) { return lane; });
}
// [predict]
}  // namespace

void weft::register_steps() { add_transpose("evict-last", block, launch, predict); }
