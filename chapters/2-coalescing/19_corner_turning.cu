// Corner turning: lanes load B along its columns, and read it from the tile along its rows.
#include "multiply.hpp"

namespace {
constexpr int tile = 32;
constexpr dim3 block{tile, tile};

// [kernel]
template <int pitch>
__global__ void multiply_corner_turning(const float* __restrict__ a, const float* __restrict__ b,
                                        float* __restrict__ c, std::int64_t rows, std::int64_t inner,
                                        std::int64_t columns) {
  __shared__ alignas(16) float tile_a[tile][tile];
  __shared__ float tile_b[tile][pitch];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const std::int64_t row = block_y() * tile + y;
  const std::int64_t column = block_x() * tile + x;
  const std::int64_t column_read = block_x() * tile + y;
  float sum = 0;
  for (std::int64_t first = 0; first < inner; first += tile) {
    tile_a[y][x] = row < rows && first + x < inner ? a[row * inner + first + x] : 0;
    tile_b[x][y] = column_read < columns && first + x < inner ? b[column_read * inner + first + x] : 0;
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
void launch(cudaStream_t stream, Matrices m, int pitch) {
  const dim3 grid = grid_over(m.columns, m.rows, block);
  const auto kernel = pitch == tile ? multiply_corner_turning<tile> : multiply_corner_turning<tile + 1>;
  kernel<<<grid, block, 0, stream>>>(m.a, m.b, m.c, m.rows, m.inner, m.columns);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t rows, std::int64_t inner, std::int64_t columns, int pitch) {
  const std::int64_t warps = rows * columns / model::warp_size;
  const std::int64_t tiles = inner / tile;
  return model::Prediction{}
      .global_load(2 * warps * tiles, 4, [](int lane) { return lane; })
      .shared_store(warps * tiles, 4, [](int lane) { return lane; })
      .shared_store(warps * tiles, 4, [=](int lane) { return lane * pitch; })
      .shared_load(warps * inner / 4, 16, [](int) { return 0; })
      .shared_load(warps * inner, 4, [](int lane) { return lane; })
      .global_store(warps, 4, [](int lane) { return lane; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() {
  const Axes axes = Axes(block).with("pitch", {tile, tile + 1});
  add_product("corner-turning", axes, Order::by_columns, launch, predict);
}
// [step]

TEST_CASE("turning the corner saves the sectors, and costs 32 wavefronts a store unless the tile is padded") {
  const model::Metrics turned = predict(256, 256, 256, tile);
  CHECK(turned[model::Metric::global_load_sectors] == 4 * turned[model::Metric::global_load_requests]);
  CHECK(2 * turned[model::Metric::shared_store_wavefronts] ==
        33 * turned[model::Metric::shared_store_requests]);
  const model::Metrics padded_tile = predict(256, 256, 256, tile + 1);
  CHECK(padded_tile[model::Metric::shared_store_wavefronts] ==
        padded_tile[model::Metric::shared_store_requests]);
}
