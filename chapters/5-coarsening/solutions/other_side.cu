// The tiled product, coarsened along the other side: a thread has several results below each other.
//
// Exercise: A thread of `one-side` has several results in a row. Let it have several in a column instead.
// How many wavefronts of shared memory does a warp's multiply-add need then?
#include "product.hpp"

namespace {
constexpr std::int64_t tile = 32;
constexpr int factor = 4;

// [kernel]
__global__ __launch_bounds__(tile* tile) void other_side(Multiplication p) {
  __shared__ float tile_a[tile * factor][tile];
  __shared__ float tile_b[tile][tile];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const std::int64_t row = block_y() * tile * factor + y;
  const std::int64_t column = block_x() * tile + x;
  float sums[factor] = {};
#pragma unroll 1
  for (std::int64_t first = 0; first < p.k; first += tile) {
    tile_b[y][x] = element(p.b, p.k, p.n, first + y, column);
#pragma unroll
    for (int i = 0; i < factor; ++i) {
      tile_a[y + i * tile][x] = element(p.a, p.m, p.k, row + i * tile, first + x);
    }
    __syncthreads();
#pragma unroll
    for (int l = 0; l < tile; ++l) {
#pragma unroll
      for (int i = 0; i < factor; ++i) sums[i] += tile_a[y + i * tile][l] * tile_b[l][x];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < factor; ++i) {
    if (row + i * tile < p.m && column < p.n) p.c[(row + i * tile) * p.n + column] = sums[i];
  }
}
// [kernel]

void launch(cudaStream_t stream, const Multiplication& p, const Setting& /*setting*/) {
  const dim3 grid = grid_over(p.n, p.m, {tile, tile * factor});
  other_side<<<grid, dim3{tile, tile}, 0, stream>>>(p);
}

// [predict]
model::Prediction predict(const Multiplication& p, const Setting& /*setting*/) {
  const std::int64_t warps = p.m * p.n / model::warp_size / factor;
  const std::int64_t steps = p.k / tile;
  return model::Prediction{}
      .global_load(warps * steps * (1 + factor), 4, own_lane)
      .shared_store(warps * steps * (1 + factor), 4, own_lane)
      .shared_load(warps * p.k / 4 * factor, 16, [](int) { return 0; })
      .shared_load(warps * p.k, 4, own_lane)
      .global_store(warps * factor, 4, own_lane);
}
// [predict]
}  // namespace

void weft::register_steps() { add_product("other-side", Axes().settings().front(), {launch, predict}); }

TEST_CASE("three quarters of a wavefront for each product, and the counts are the predicted ones") {
  constexpr std::int64_t products = 256 * 512 * 64 / model::warp_size;
  const Multiplication extents{nullptr, nullptr, nullptr, 256, 512, 64};
  const model::Metrics predicted = predict(extents, {});
  CHECK(4 * predicted[model::Metric::shared_load_wavefronts] == 3 * products);
  with_counts({256, 512, 64}, [&](const model::Metrics& counted) {
    CHECK(counted[model::Metric::shared_load_wavefronts] == predicted[model::Metric::shared_load_wavefronts]);
    CHECK(counted[model::Metric::global_load_sectors] == predicted[model::Metric::global_load_sectors]);
  });
}
