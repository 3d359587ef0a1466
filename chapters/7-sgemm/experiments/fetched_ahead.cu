// The tiles of `strided` are fetched between two rounds of multiply-adds, or copied while the round before
// runs.
#include "problem.hpp"
#include "step/step.hpp"
#include "thread_copy.hpp"

namespace {
constexpr int tile = 128;
constexpr int depth = 8;
constexpr int pitch = tile + 4;
constexpr int side = 4;
constexpr int results = side * side;
constexpr dim3 block{tile / side, tile / side};

// [kernel]
template <bool ahead>
__global__ void __launch_bounds__(block.x* block.y)
    sgemm_fetched_ahead(int m, int n, int k, float alpha, const float* __restrict__ a, std::int64_t lda,
                        const float* __restrict__ b, std::int64_t ldb, float beta, float* __restrict__ c,
                        std::int64_t ldc) {
  constexpr int pairs = ahead ? 2 : 1;
  __shared__ float tiles_a[pairs][depth][pitch];
  __shared__ float tiles_b[pairs][depth][tile];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
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
  const auto fetch = [&](int first, int pair) {
    const bool is_a = has_a && first + column_of_a < k;
    const bool is_b = has_b && first + row_of_b < k;
    float& to_a = tiles_a[pair][column_of_a][row_of_a];
    float& to_b = tiles_b[pair][row_of_b][column_of_b];
    if constexpr (ahead) {  // a copy that is not wanted fills its word with 0
      copy_async(&to_a, is_a ? from_a + first : a, is_a);
      copy_async(&to_b, is_b ? from_b + first * ldb : b, is_b);
      __pipeline_commit();
    } else {
      to_a = is_a ? from_a[first] : 0;
      to_b = is_b ? from_b[first * ldb] : 0;
    }
  };

  float sums[side][side] = {};
  if (ahead) fetch(0, 0);
  int pair = 0;
  for (int first = 0; first < k; first += depth) {
    if (ahead) {
      __pipeline_wait_prior(0);
    } else {
      fetch(first, 0);
    }
    __syncthreads();
    if (ahead && first + depth < k) fetch(first + depth, 1 - pair);
    const auto& tile_a = tiles_a[pair];
    const auto& tile_b = tiles_b[pair];
    if (ahead) pair = 1 - pair;
#pragma unroll
    for (int l = 0; l < depth; ++l) {
      float of_a[side];
      float of_b[side];
#pragma unroll
      for (int i = 0; i < side; ++i) of_a[i] = tile_a[l][y + i * block.y];
#pragma unroll
      for (int j = 0; j < side; ++j) of_b[j] = tile_b[l][x + j * block.x];
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
      const int row = first_row + y + i * block.y;
      const int column = first_column + x + j * block.x;
      if (row < m && column < n) update(&c[row * ldc + column], alpha, sums[i][j], beta);
    }
  }
}
// [kernel]

template <bool ahead>
void launch(cudaStream_t stream, const Sgemm& p) {
  const dim3 grid = grid_over(p.n, p.m, {tile, tile});
  sgemm_fetched_ahead<ahead>
      <<<grid, block, 0, stream>>>(p.m, p.n, p.k, p.alpha, p.a, p.lda, p.b, p.ldb, p.beta, p.c, p.ldc);
}

template <bool ahead>
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t warps = m * n / results / model::warp_size;
  const std::int64_t tiles = k / depth;
  model::Prediction prediction;
  prediction.global_load(warps * tiles, 4, [&](int lane) { return lane / depth * k + lane % depth; })
      .global_load(warps * tiles, 4, [](int lane) { return lane; })
      .shared_load(warps * k * side, 4, [](int) { return 0; })
      .shared_load(warps * k * side, 4, [](int lane) { return lane; })
      .global_store(warps * results, 4, [](int lane) { return lane; });
  if (ahead) return prediction.skipped_shared_load(warps * tiles * idle_loads);
  return prediction
      .shared_store(warps * tiles, 4, [](int lane) { return lane % depth * pitch + lane / depth; })
      .shared_store(warps * tiles, 4, [](int lane) { return lane; });
}

template <bool ahead>
void add_variant(bool is_default) {
  const Parameters parameters{{"ahead", {ahead ? 1 : 0}}};
  add(product_variant("fetched-ahead", {parameters, is_default}, launch<ahead>, predict<ahead>,
                      {.kind = Kind::experiment, .measured = {{4096, 4096, 4096}}}));
}
}  // namespace

void weft::register_steps() {
  add_variant<true>(true);
  add_variant<false>(false);
}
