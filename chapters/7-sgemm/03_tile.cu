// A block's threads share what they read: each element comes to shared memory once, and is used 32 times
// there.
#include "problem.hpp"

namespace {
constexpr int tile = 32;
constexpr dim3 block{tile, tile};

// [kernel]
__global__ void sgemm_tile(int m, int n, int k, float alpha, const float* __restrict__ a, std::int64_t lda,
                           const float* __restrict__ b, std::int64_t ldb, float beta, float* __restrict__ c,
                           std::int64_t ldc) {
  __shared__ float tile_a[tile][tile + 1];  // a column of A in each row
  __shared__ float tile_b[tile][tile];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int row = static_cast<int>(block_y()) * tile + y;
  const int column = static_cast<int>(block_x()) * tile + x;
  float sum = 0;
  for (int first = 0; first < k; first += tile) {
    tile_a[x][y] = row < m && first + x < k ? a[row * lda + first + x] : 0;
    tile_b[y][x] = first + y < k && column < n ? b[(first + y) * ldb + column] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < tile; ++i) sum += tile_a[i][y] * tile_b[i][x];
    __syncthreads();
  }
  if (row < m && column < n) update(&c[row * ldc + column], alpha, sum, beta);
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, const Sgemm& p) {
  const dim3 grid = grid_over(p.n, p.m, block);
  sgemm_tile<<<grid, block, 0, stream>>>(p.m, p.n, p.k, p.alpha, p.a, p.lda, p.b, p.ldb, p.beta, p.c, p.ldc);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t warps = m * n / model::warp_size;
  const std::int64_t tiles = k / tile;
  return model::Prediction{}
      .global_load(2 * warps * tiles, 4, [](int lane) { return lane; })
      .shared_store(warps * tiles, 4, [](int lane) { return lane * (tile + 1); })
      .shared_store(warps * tiles, 4, [](int lane) { return lane; })
      .shared_load(warps * k, 4, [](int) { return 0; })
      .shared_load(warps * k, 4, [](int lane) { return lane; })
      .global_store(warps, 4, [](int lane) { return lane; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() { add_product("tile", block, launch, predict); }
// [step]

TEST_CASE("a 32nd of the requests to global memory, and two wavefronts of shared memory for each product") {
  with_counts({128, 128, 128}, [](const model::Metrics& counted) {
    const std::uint64_t products = 128 * 128 * 128 / model::warp_size;  // a warp's multiply-adds
    CHECK(counted[model::Metric::global_load_requests] * tile == 2 * products);
    CHECK(counted[model::Metric::shared_load_wavefronts] == 2 * products);
  });
}
