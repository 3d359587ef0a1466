// The 4 × 4 elements of a thread lie side by side: four floats from shared memory are one access.
#include "fours.hpp"
#include "problem.hpp"

namespace {
constexpr int tile = 128;
constexpr int depth = 8;
constexpr int pitch = tile + 4;  // the words of four columns of A, eight high, lie in 32 banks
constexpr int side = 4;          // results of a thread, down and across
constexpr int results = side * side;
constexpr dim3 block{tile / side, tile / side};

// [kernel]
__global__ void __launch_bounds__(block.x* block.y)
    sgemm_contiguous(int m, int n, int k, float alpha, const float* __restrict__ a, std::int64_t lda,
                     const float* __restrict__ b, std::int64_t ldb, float beta, float* __restrict__ c,
                     std::int64_t ldc) {
  __shared__ alignas(16) float tile_a[depth][pitch];  // a column of A in each row
  __shared__ alignas(16) float tile_b[depth][tile];
  const int x = side * threadIdx.x;
  const int y = side * threadIdx.y;
  const int thread = threadIdx.y * block.x + threadIdx.x;
  const int first_row = static_cast<int>(block_y()) * tile;
  const int first_column = static_cast<int>(block_x()) * tile;
  const int row_of_a = thread / depth;
  const int column_of_a = thread % depth;
  const int row_of_b = thread / tile;
  const int column_of_b = thread % tile;
  const bool has_a = first_row + row_of_a < m;
  const bool has_b = first_column + column_of_b < n;
  const float* const from_a = a + (first_row + row_of_a) * lda + column_of_a;
  const float* const from_b = b + row_of_b * ldb + first_column + column_of_b;

  float sums[side][side] = {};
  for (int first = 0; first < k; first += depth) {
    tile_a[column_of_a][row_of_a] = has_a && first + column_of_a < k ? from_a[first] : 0;
    tile_b[row_of_b][column_of_b] = has_b && first + row_of_b < k ? from_b[first * ldb] : 0;
    __syncthreads();
#pragma unroll
    for (int l = 0; l < depth; ++l) {
      float of_a[side];
      float of_b[side];
      load_four(of_a, &tile_a[l][y]);
      load_four(of_b, &tile_b[l][x]);
#pragma unroll
      for (int i = 0; i < side; ++i) {
#pragma unroll
        for (int j = 0; j < side; ++j) sums[i][j] += of_a[i] * of_b[j];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < side; ++i) {
#pragma unroll
    for (int j = 0; j < side; ++j) {
      const int row = first_row + y + i;
      const int column = first_column + x + j;
      if (row < m && column < n) update(&c[row * ldc + column], alpha, sums[i][j], beta);
    }
  }
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, const Sgemm& p) {
  const dim3 grid = grid_over(p.n, p.m, {tile, tile});
  sgemm_contiguous<<<grid, block, 0, stream>>>(p.m, p.n, p.k, p.alpha, p.a, p.lda, p.b, p.ldb, p.beta, p.c,
                                               p.ldc);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t warps = m * n / results / model::warp_size;
  const std::int64_t tiles = k / depth;
  model::Prediction prediction;
  prediction.global_load(warps * tiles, 4, [&](int lane) { return lane / depth * k + lane % depth; })
      .global_load(warps * tiles, 4, [](int lane) { return lane; })
      .shared_store(warps * tiles, 4, [](int lane) { return lane % depth * pitch + lane / depth; })
      .shared_store(warps * tiles, 4, [](int lane) { return lane; })
      .shared_load(warps * k, 16, [](int) { return 0; })
      .shared_load(warps * k, 16, [](int lane) { return lane; });
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      prediction.global_store(warps, 4, [&](int lane) { return i * n + j + std::int64_t{lane} * side; });
    }
  }
  return prediction;
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() { add_product("contiguous", tile_axis(tile, tile, depth), launch, predict); }
// [step]

TEST_CASE("four floats for all lanes take two wavefronts, four floats each take four") {
  CHECK(model::shared_load_wavefronts({16, [](int) { return 0; }}) == 2);
  CHECK(model::shared_load_wavefronts({16, [](int lane) { return lane; }}) == 4);
  with_counts({128, 128, 128}, [](const model::Metrics& counted) {
    const std::uint64_t products = 128 * 128 * 128 / model::warp_size;
    CHECK(8 * counted[model::Metric::shared_load_requests] == products);
    CHECK(8 * counted[model::Metric::shared_load_wavefronts] == 3 * products);
  });
}
