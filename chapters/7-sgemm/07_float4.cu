// Sixteen bytes to an access on the whole way, and tiles twice as deep.
#include "fours.hpp"
#include "problem.hpp"
#include "transpose.hpp"

namespace {
constexpr int tile = 128;
constexpr int depth = 16;
constexpr int half = tile / 2;
constexpr int side = 8;  // results of a thread, down and across: four in each half
constexpr int results = side * side;
constexpr dim3 block{tile / side, tile / side};

// [kernel]
/// Here a is the transpose of A: k rows, lda apart.
template <bool wide>
__global__ void __launch_bounds__(block.x* block.y)
    sgemm_float4(int m, int n, int k, float alpha, const float* __restrict__ a, std::int64_t lda,
                 const float* __restrict__ b, std::int64_t ldb, float beta, float* __restrict__ c,
                 std::int64_t ldc) {
  __shared__ alignas(16) float tile_a[depth][tile];
  __shared__ alignas(16) float tile_b[depth][tile];
  const int x = 4 * threadIdx.x;
  const int y = 4 * threadIdx.y;
  const int thread = threadIdx.y * block.x + threadIdx.x;
  const int first_row = static_cast<int>(block_y()) * tile;
  const int first_column = static_cast<int>(block_x()) * tile;
  const int row_read = thread / 32;  // a warp reads a row of either tile at once
  const int column_read = thread % 32 * 4;
  const float* const from_a = a + row_read * lda + first_row + column_read;
  const float* const from_b = b + row_read * ldb + first_column + column_read;

  float sums[side][side] = {};
  for (int first = 0; first < k; first += depth) {
#pragma unroll
    for (int i = 0; i < depth; i += block.x * block.y / 32) {
      const bool has_row = first + row_read + i < k;
      auto* const to_a = reinterpret_cast<float4*>(&tile_a[row_read + i][column_read]);
      auto* const to_b = reinterpret_cast<float4*>(&tile_b[row_read + i][column_read]);
      *to_a = load_valid<true>(from_a + (first + i) * lda, has_row ? m - first_row - column_read : 0);
      *to_b = load_valid<wide>(from_b + (first + i) * ldb, has_row ? n - first_column - column_read : 0);
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
    const int row = first_row + i / 4 * half + y + i % 4;
    if (row >= m) continue;
#pragma unroll
    for (int j = 0; j < side; j += 4) {
      const int column = first_column + j / 4 * half + x;
      update_valid<wide>(&c[row * ldc + column], n - column, alpha, &sums[i][j], beta);
    }
  }
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, const Sgemm& p) {
  queue_transpose(stream, p);
  const dim3 grid = grid_over(p.n, p.m, {tile, tile});
  auto* const kernel = is_wide(p) ? sgemm_float4<true> : sgemm_float4<false>;
  kernel<<<grid, block, 0, stream>>>(p.m, p.n, p.k, p.alpha, p.workspace, transposed_pitch(p.m), p.b, p.ldb,
                                     p.beta, p.c, p.ldc);
}

std::int64_t workspace(std::int64_t m, std::int64_t, std::int64_t k) { return transposed_pitch(m) * k; }
// [launch]

// [predict]
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t warps = m * n / results / model::warp_size;
  const std::int64_t tiles = k / depth;
  return predict_transpose(m, k)
      .global_load(2 * warps * tiles * depth / 8, 16, [](int lane) { return lane; })
      .shared_store(2 * warps * tiles * depth / 8, 16, [](int lane) { return lane; })
      .shared_load(2 * warps * k, 16, [](int lane) { return lane / block.x; })
      .shared_load(2 * warps * k, 16, [](int lane) { return lane % block.x; })
      .global_store(warps * results / 4, 16, [&](int lane) { return n * (lane / block.x) + lane % block.x; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() {
  add_product("float4", tile_axis(tile, tile, depth), launch, predict, {.workspace = workspace});
}
// [step]

TEST_CASE("the stores fill their sectors") {
  with_counts({128, 128, 128}, [](const model::Metrics& counted) {
    const std::uint64_t of_c_and_of_the_transpose = 2 * sizeof(float) * 128 * 128;
    CHECK(counted[model::Metric::global_store_sectors] * model::sector_bytes == of_c_and_of_the_transpose);
  });
}
