// A's tile as it lies: a thread walks along its row of it, four floats at a time.
//
// Exercise: the tile of 32 × 32 stores A turned. Store it as it lies, and read four of it at once.
#include "fours.hpp"
#include "problem.hpp"

namespace {
constexpr int tile = 32;
constexpr dim3 block{tile, tile};

// [kernel]
__global__ void sgemm_whole_rows(int m, int n, int k, float alpha, const float* __restrict__ a,
                                 std::int64_t lda, const float* __restrict__ b, std::int64_t ldb, float beta,
                                 float* __restrict__ c, std::int64_t ldc) {
  __shared__ alignas(16) float tile_a[tile][tile];
  __shared__ float tile_b[tile][tile];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int row = static_cast<int>(block_y()) * tile + y;
  const int column = static_cast<int>(block_x()) * tile + x;
  float sum = 0;
  for (int first = 0; first < k; first += tile) {
    tile_a[y][x] = row < m && first + x < k ? a[row * lda + first + x] : 0;
    tile_b[y][x] = first + y < k && column < n ? b[(first + y) * ldb + column] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < tile; i += 4) {
      float of_a[4];
      load_four(of_a, &tile_a[y][i]);
#pragma unroll
      for (int l = 0; l < 4; ++l) sum += of_a[l] * tile_b[i + l][x];
    }
    __syncthreads();
  }
  if (row < m && column < n) update(&c[row * ldc + column], alpha, sum, beta);
}
// [kernel]

void launch(cudaStream_t stream, const Sgemm& p) {
  const dim3 grid = grid_over(p.n, p.m, block);
  sgemm_whole_rows<<<grid, block, 0, stream>>>(p.m, p.n, p.k, p.alpha, p.a, p.lda, p.b, p.ldb, p.beta, p.c,
                                               p.ldc);
}

// [predict]
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t warps = m * n / model::warp_size;
  const std::int64_t tiles = k / tile;
  return model::Prediction{}
      .global_load(2 * warps * tiles, 4, [](int lane) { return lane; })
      .shared_store(2 * warps * tiles, 4, [](int lane) { return lane; })
      .shared_load(warps * k / 4, 16, [](int) { return 0; })
      .shared_load(warps * k, 4, [](int lane) { return lane; })
      .global_store(warps, 4, [](int lane) { return lane; });
}
// [predict]
}  // namespace

void weft::register_steps() { add_product("whole-rows", block, launch, predict); }

TEST_CASE("five loads from shared memory for four multiply-adds, where there were eight") {
  with_counts({64, 64, 64}, [](const model::Metrics& counted) {
    const model::Metrics predicted = predict(64, 64, 64);
    for (const auto& [metric, value] : predicted) CHECK(counted[metric] == value);
    CHECK(counted[model::Metric::shared_load_requests] == 64 * 64 / 32 * 64 * 5 / 4);
  });
}
