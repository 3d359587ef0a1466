// The textbook's coarsening: a block keeps its tile of A, and brings one tile of B after the other beside it.
#include "product.hpp"

namespace {
constexpr std::int64_t tile = 32;

// [kernel]
/// @tparam factor elements of C that a thread computes, a tile apart in a row
template <int factor>
__global__ __launch_bounds__(tile* tile) void tile_by_tile(Multiplication p) {
  __shared__ float tile_a[tile][tile];
  __shared__ float tile_b[tile][tile];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const std::int64_t row = block_y() * tile + y;
  const std::int64_t column = block_x() * tile * factor + x;
  float sums[factor] = {};
#pragma unroll 1
  for (std::int64_t first = 0; first < p.k; first += tile) {
    tile_a[y][x] = element(p.a, p.m, p.k, row, first + x);
#pragma unroll
    for (int j = 0; j < factor; ++j) {
      tile_b[y][x] = element(p.b, p.k, p.n, first + y, column + j * tile);
      __syncthreads();
#pragma unroll
      for (int l = 0; l < tile; ++l) sums[j] += tile_a[y][l] * tile_b[l][x];
      __syncthreads();
    }
  }
#pragma unroll
  for (int j = 0; j < factor; ++j) {
    if (row < p.m && column + j * tile < p.n) p.c[row * p.n + column + j * tile] = sums[j];
  }
}
// [kernel]

auto kernel_of(int factor) {
  if (factor == 1) return tile_by_tile<1>;
  if (factor == 2) return tile_by_tile<2>;
  if (factor == 4) return tile_by_tile<4>;
  return factor == 8 ? tile_by_tile<8> : tile_by_tile<16>;
}

void launch(cudaStream_t stream, const Multiplication& p, const Setting& setting) {
  const int factor = setting.number();
  const dim3 grid = grid_over(p.n, p.m, {static_cast<unsigned>(tile) * factor, tile});
  kernel_of(factor)<<<grid, dim3{tile, tile}, 0, stream>>>(p);
}

// [predict]
/// Four elements of a row of A's tile are read at a time, each by a warp as a whole.
model::Prediction predict(const Multiplication& p, const Setting& setting) {
  const std::int64_t warps = p.m * p.n / model::warp_size / setting.number();
  const std::int64_t steps = p.k / tile;
  const std::int64_t results = warps * setting.number();
  return model::Prediction{}
      .global_load(warps * steps, 4, own_lane)
      .global_load(results * steps, 4, own_lane)
      .shared_store(warps * steps, 4, own_lane)
      .shared_store(results * steps, 4, own_lane)
      .shared_load(results * p.k / 4, 16, [](int) { return 0; })
      .shared_load(results * p.k, 4, own_lane)
      .global_store(results, 4, own_lane);
}
// [predict]
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("factor", {4, 1, 2, 8, 16}).settings()) {
    add_product("tile-by-tile", setting, {launch, predict});
  }
}
