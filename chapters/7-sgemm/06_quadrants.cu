// A thread computes 8 × 8 elements, a 4 × 4 in each quadrant of the tile; A is transposed first.
#include "fours.hpp"
#include "problem.hpp"
#include "transpose.hpp"

namespace {
constexpr int tile = 128;
constexpr int depth = 8;
constexpr int half = tile / 2;
constexpr int side = 8;  // results of a thread, down and across: four in each half
constexpr int results = side * side;
constexpr dim3 block{tile / side, tile / side};

// [kernel]
/// Here a is the transpose of A: k rows, lda apart.
__global__ void __launch_bounds__(block.x* block.y)
    sgemm_quadrants(int m, int n, int k, float alpha, const float* __restrict__ a, std::int64_t lda,
                    const float* __restrict__ b, std::int64_t ldb, float beta, float* __restrict__ c,
                    std::int64_t ldc) {
  __shared__ alignas(16) float tile_a[depth][tile];
  __shared__ alignas(16) float tile_b[depth][tile];
  const int x = 4 * threadIdx.x;
  const int y = 4 * threadIdx.y;
  const int thread = threadIdx.y * block.x + threadIdx.x;
  const int first_row = static_cast<int>(block_y()) * tile;
  const int first_column = static_cast<int>(block_x()) * tile;
  const int row_read = thread / 32;  // a warp reads a row of either tile, 32 floats at a time
  const int column_read = thread % 32;
  const float* const from_a = a + row_read * lda + first_row + column_read;
  const float* const from_b = b + row_read * ldb + first_column + column_read;

  float sums[side][side] = {};
  for (int first = 0; first < k; first += depth) {
    const bool has_row = first + row_read < k;
#pragma unroll
    for (int i = 0; i < tile; i += 32) {
      const int column = column_read + i;
      tile_a[row_read][column] = has_row && first_row + column < m ? from_a[first * lda + i] : 0;
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

// [launch]
void launch(cudaStream_t stream, const Sgemm& p) {
  queue_transpose(stream, p);
  const dim3 grid = grid_over(p.n, p.m, {tile, tile});
  sgemm_quadrants<<<grid, block, 0, stream>>>(p.m, p.n, p.k, p.alpha, p.workspace, transposed_pitch(p.m), p.b,
                                              p.ldb, p.beta, p.c, p.ldc);
}

std::int64_t workspace(std::int64_t m, std::int64_t, std::int64_t k) { return transposed_pitch(m) * k; }
// [launch]

// [predict]
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t warps = m * n / results / model::warp_size;
  const std::int64_t tiles = k / depth;
  model::Prediction prediction = predict_transpose(m, k);
  prediction.global_load(2 * warps * tiles * tile / 32, 4, [](int lane) { return lane; })
      .shared_store(2 * warps * tiles * tile / 32, 4, [](int lane) { return lane; })
      .shared_load(2 * warps * k, 16, [](int lane) { return lane / block.x; })
      .shared_load(2 * warps * k, 16, [](int lane) { return lane % block.x; });
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      prediction.global_store(warps, 4, [&](int lane) {
        const std::int64_t row = i / 4 * half + lane / block.x * 4 + i % 4;
        const std::int64_t column = j / 4 * half + lane % block.x * 4 + j % 4;
        return row * n + column;
      });
    }
  }
  return prediction;
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() {
  add_product("quadrants", tile_axis(tile, tile, depth), launch, predict, {.workspace = workspace});
}
// [step]

TEST_CASE("twelve wavefronts for 64 products") {
  const int of_a = model::shared_load_wavefronts({16, [](int lane) { return lane / block.x; }});
  const int of_b = model::shared_load_wavefronts({16, [](int lane) { return lane % block.x; }});
  CHECK(2 * of_a + 2 * of_b == 12);
}
