// Four words of shared memory in one load or in four, of A and of B by themselves: two instructions and six
// wavefronts, five and six, five and eight, eight and eight.
#include "fours.hpp"
#include "problem.hpp"
#include "step/step.hpp"

namespace {
constexpr int tile = 128;
constexpr int depth = 8;
constexpr int pitch = tile + 4;
constexpr int side = 4;
constexpr int results = side * side;
constexpr dim3 block{tile / side, tile / side};

/// Where a thread's four rows or columns lie: side by side if one load brings them, a quarter of the tile
/// apart if each has its own.
template <int words>
__host__ __device__ constexpr int place(int thread, int i) {
  return words == side ? side * thread + i : thread + i * (tile / side);
}

template <int words>
__device__ inline void load(float (&to)[side], const float* row, int thread) {
  if constexpr (words == side) {
    load_four(to, row + place<words>(thread, 0));
  } else {
#pragma unroll
    for (int i = 0; i < side; ++i) to[i] = row[place<words>(thread, i)];
  }
}

template <int words_of_a, int words_of_b>
__global__ void __launch_bounds__(block.x* block.y)
    sgemm_words_per_load(int m, int n, int k, float alpha, const float* __restrict__ a, std::int64_t lda,
                         const float* __restrict__ b, std::int64_t ldb, float beta, float* __restrict__ c,
                         std::int64_t ldc) {
  __shared__ alignas(16) float tile_a[depth][pitch];
  __shared__ alignas(16) float tile_b[depth][tile];
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

  float sums[side][side] = {};
  for (int first = 0; first < k; first += depth) {
    tile_a[column_of_a][row_of_a] = has_a && first + column_of_a < k ? from_a[first] : 0;
    tile_b[row_of_b][column_of_b] = has_b && first + row_of_b < k ? from_b[first * ldb] : 0;
    __syncthreads();
#pragma unroll
    for (int l = 0; l < depth; ++l) {
      float of_a[side];
      float of_b[side];
      load<words_of_a>(of_a, tile_a[l], y);
      load<words_of_b>(of_b, tile_b[l], x);
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
      const int row = first_row + place<words_of_a>(y, i);
      const int column = first_column + place<words_of_b>(x, j);
      if (row < m && column < n) update(&c[row * ldc + column], alpha, sums[i][j], beta);
    }
  }
}

template <int words_of_a, int words_of_b>
void launch(cudaStream_t stream, const Sgemm& p) {
  const dim3 grid = grid_over(p.n, p.m, {tile, tile});
  sgemm_words_per_load<words_of_a, words_of_b>
      <<<grid, block, 0, stream>>>(p.m, p.n, p.k, p.alpha, p.a, p.lda, p.b, p.ldb, p.beta, p.c, p.ldc);
}

template <int words_of_a, int words_of_b>
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t warps = m * n / results / model::warp_size;
  const std::int64_t tiles = k / depth;
  return model::Prediction{}
      .global_load(warps * tiles, 4, [&](int lane) { return lane / depth * k + lane % depth; })
      .global_load(warps * tiles, 4, [](int lane) { return lane; })
      .shared_store(warps * tiles, 4, [](int lane) { return lane % depth * pitch + lane / depth; })
      .shared_store(warps * tiles, 4, [](int lane) { return lane; })
      .shared_load(warps * k * side / words_of_a, words_of_a * 4, [](int) { return 0; })
      .shared_load(warps * k * side / words_of_b, words_of_b * 4, [](int lane) { return lane; })
      .global_store(warps * results, 4, [](int lane) { return place<words_of_b>(lane, 0); });
}

template <int words_of_a, int words_of_b>
void add_variant(bool is_default) {
  const Parameters words{{"a", {words_of_a}}, {"b", {words_of_b}}};
  add(product_variant("words-per-load", {words, is_default}, launch<words_of_a, words_of_b>,
                      predict<words_of_a, words_of_b>,
                      {.kind = Kind::experiment, .measured = {{4096, 4096, 4096}}}));
}
}  // namespace

void weft::register_steps() {
  add_variant<4, 4>(true);
  add_variant<4, 1>(false);
  add_variant<1, 4>(false);
  add_variant<1, 1>(false);
}
