// The quadrants without a transpose before them: A is turned on its way into the tile.
//
// Exercise: do without the transpose of A.  Which threads read what, and where do they store it?
#include "fours.hpp"
#include "problem.hpp"

namespace {
constexpr int tile = 128;
constexpr int depth = 8;
constexpr int pitch = tile + 4;  // as in the strided step: the eight rows begin in eight banks
constexpr int half = tile / 2;
constexpr int side = 8;  // results of a thread, down and across: four in each half
constexpr int results = side * side;
constexpr dim3 block{tile / side, tile / side};

// [kernel]
__global__ void __launch_bounds__(block.x* block.y)
    sgemm_no_transpose(int m, int n, int k, float alpha, const float* __restrict__ a, std::int64_t lda,
                       const float* __restrict__ b, std::int64_t ldb, float beta, float* __restrict__ c,
                       std::int64_t ldc) {
  __shared__ alignas(16) float tile_a[depth][pitch];
  __shared__ alignas(16) float tile_b[depth][tile];
  const int x = 4 * threadIdx.x;
  const int y = 4 * threadIdx.y;
  const int thread = threadIdx.y * block.x + threadIdx.x;
  const int first_row = static_cast<int>(block_y()) * tile;
  const int first_column = static_cast<int>(block_x()) * tile;
  const int row_of_a = thread / depth;  // a warp reads eight floats of each of four rows of A
  const int column_of_a = thread % depth;
  const int row_read = thread / 32;  // and a row of B's tile, 32 floats at a time
  const int column_read = thread % 32;
  const float* const from_a = a + (first_row + row_of_a) * lda + column_of_a;
  const float* const from_b = b + row_read * ldb + first_column + column_read;

  float sums[side][side] = {};
  for (int first = 0; first < k; first += depth) {
    const bool has_row = first + row_read < k;
#pragma unroll
    for (int i = 0; i < tile; i += 32) {
      const int column = column_read + i;
      const bool has_a = first + column_of_a < k && first_row + row_of_a + i < m;
      tile_a[column_of_a][row_of_a + i] = has_a ? from_a[i * lda + first] : 0;
      tile_b[row_read][column] = has_row && first_column + column < n ? from_b[first * ldb + i] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int l = 0; l < depth; ++l) {
      float of_a[side];
      float of_b[side];
      load_four(of_a, &tile_a[l][y]);
      load_four(of_a + 4, &tile_a[l][half + y]);
      load_four(of_b, &tile_b[l][x]);
      load_four(of_b + 4, &tile_b[l][half + x]);
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
      const int row = first_row + i / 4 * half + y + i % 4;
      const int column = first_column + j / 4 * half + x + j % 4;
      if (row < m && column < n) update(&c[row * ldc + column], alpha, sums[i][j], beta);
    }
  }
}
// [kernel]

void launch(cudaStream_t stream, const Sgemm& p) {
  const dim3 grid = grid_over(p.n, p.m, {tile, tile});
  sgemm_no_transpose<<<grid, block, 0, stream>>>(p.m, p.n, p.k, p.alpha, p.a, p.lda, p.b, p.ldb, p.beta, p.c,
                                                 p.ldc);
}

// [predict]
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t warps = m * n / results / model::warp_size;
  const std::int64_t tiles = k / depth;
  return model::Prediction{}
      .global_load(warps * tiles * tile / 32, 4, [&](int lane) { return lane / depth * k + lane % depth; })
      .global_load(warps * tiles * tile / 32, 4, [](int lane) { return lane; })
      .shared_store(warps * tiles * tile / 32, 4,
                    [](int lane) { return lane % depth * pitch + lane / depth; })
      .shared_store(warps * tiles * tile / 32, 4, [](int lane) { return lane; })
      .shared_load(2 * warps * k, 16, [](int lane) { return lane / block.x; })
      .shared_load(2 * warps * k, 16, [](int lane) { return lane % block.x; })
      .global_store(warps * results, 4,
                    [&](int lane) { return 4 * (n * (lane / block.x) + lane % block.x); });
}
// [predict]
}  // namespace

void weft::register_steps() { add_product("no-transpose", tile_axis(tile, tile, depth), launch, predict); }

TEST_CASE("turning A on its way costs no wavefront and no sector") {
  with_counts({128, 128, 64}, [](const model::Metrics& counted) {
    const model::Metrics predicted = predict(128, 128, 64);
    for (const auto& [metric, value] : predicted) CHECK(counted[metric] == value);
    CHECK(counted[model::Metric::shared_store_wavefronts] == counted[model::Metric::shared_store_requests]);
    CHECK(counted[model::Metric::global_load_sectors] == 4 * counted[model::Metric::global_load_requests]);
  });
}
