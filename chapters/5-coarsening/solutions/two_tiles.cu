// The textbook's coarsening with two tiles of B by turns: a barrier for each of them, not two.
//
// Exercise: `tile-by-tile` has two barriers for each tile of B. Find a kernel that has one.
#include "product.hpp"

namespace {
constexpr std::int64_t tile = 32;
constexpr int factor = 4;

// [kernel]
__global__ __launch_bounds__(tile* tile) void two_tiles(Multiplication p) {
  __shared__ float tile_a[2][tile][tile];
  __shared__ float tile_b[2][tile][tile];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const std::int64_t row = block_y() * tile + y;
  const std::int64_t column = block_x() * tile * factor + x;
  float sums[factor] = {};
  int of_a = 0;
#pragma unroll 1
  for (std::int64_t first = 0; first < p.k; first += tile, of_a ^= 1) {
    tile_a[of_a][y][x] = element(p.a, p.m, p.k, row, first + x);
#pragma unroll
    for (int j = 0; j < factor; ++j) {
      // A thread that writes tile n has passed the barrier of tile n - 1: all have read tile n - 2.
      tile_b[j % 2][y][x] = element(p.b, p.k, p.n, first + y, column + j * tile);
      __syncthreads();
#pragma unroll
      for (int l = 0; l < tile; ++l) sums[j] += tile_a[of_a][y][l] * tile_b[j % 2][l][x];
    }
  }
#pragma unroll
  for (int j = 0; j < factor; ++j) {
    if (row < p.m && column + j * tile < p.n) p.c[row * p.n + column + j * tile] = sums[j];
  }
}
// [kernel]
static_assert(factor % 2 == 0, "a step ends and the next begins with different tiles of B");

void launch(cudaStream_t stream, const Multiplication& p, const Setting& /*setting*/) {
  const dim3 grid = grid_over(p.n, p.m, {tile * factor, tile});
  two_tiles<<<grid, dim3{tile, tile}, 0, stream>>>(p);
}

model::Prediction predict(const Multiplication& p, const Setting& /*setting*/) {
  const std::int64_t warps = p.m * p.n / model::warp_size / factor;
  return model::Prediction{}.global_load(warps * (p.k / tile) * (1 + factor), 4, own_lane);
}
}  // namespace

void weft::register_steps() { add_product("two-tiles", Axes().settings().front(), {launch, predict}); }

TEST_CASE("it loads what the kernel with two barriers loads") {
  with_counts({256, 512, 64}, [](const model::Metrics& counted) {
    const Multiplication extents{nullptr, nullptr, nullptr, 256, 512, 64};
    CHECK(counted[model::Metric::global_load_requests] ==
          predict(extents, {})[model::Metric::global_load_requests]);
  });
}
