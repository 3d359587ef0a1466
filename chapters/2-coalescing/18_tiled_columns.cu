// The product in tiles: a block loads each element of a tile once. B is still read across its
// columns.
#include "multiply.hpp"

namespace {
constexpr int tile = 32;
constexpr dim3 block{tile, tile};

// [kernel]
__global__ void multiply_tiled_columns(const float* __restrict__ a, const float* __restrict__ b,
                                       float* __restrict__ c, std::int64_t rows, std::int64_t inner,
                                       std::int64_t columns) {
  __shared__ alignas(16) float tile_a[tile][tile];
  __shared__ float tile_b[tile][tile];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const std::int64_t row = block_y() * tile + y;
  const std::int64_t column = block_x() * tile + x;
  float sum = 0;
  for (std::int64_t first = 0; first < inner; first += tile) {
    tile_a[y][x] = row < rows && first + x < inner ? a[row * inner + first + x] : 0;
    tile_b[y][x] = column < columns && first + y < inner ? b[column * inner + first + y] : 0;
    __syncthreads();
    for (int k = 0; k < tile; k += 4) {
      const float4 factors = *reinterpret_cast<const float4*>(&tile_a[y][k]);
      sum += factors.x * tile_b[k][x];
      sum += factors.y * tile_b[k + 1][x];
      sum += factors.z * tile_b[k + 2][x];
      sum += factors.w * tile_b[k + 3][x];
    }
    __syncthreads();
  }
  if (row < rows && column < columns) c[row * columns + column] = sum;
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Matrices m) {
  const dim3 grid = grid_over(m.columns, m.rows, block);
  multiply_tiled_columns<<<grid, block, 0, stream>>>(m.a, m.b, m.c, m.rows, m.inner, m.columns);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t rows, std::int64_t inner, std::int64_t columns) {
  const std::int64_t warps = rows * columns / model::warp_size;
  const std::int64_t tiles = inner / tile;
  return model::Prediction{}
      .global_load(warps * tiles, 4, [](int lane) { return lane; })
      .global_load(warps * tiles, 4, [&](int lane) { return lane * inner; })
      .shared_store(2 * warps * tiles, 4, [](int lane) { return lane; })
      .shared_load(warps * inner / 4, 16, [](int) { return 0; })
      .shared_load(warps * inner, 4, [](int lane) { return lane; })
      .global_store(warps, 4, [](int lane) { return lane; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() { add_product("tiled-columns", block, Order::by_columns, launch, predict); }
// [step]
