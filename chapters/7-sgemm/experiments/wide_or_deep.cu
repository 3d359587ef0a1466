// From the quadrants to float4 two things change: how many bytes an access moves, and how deep a tile is.
// Here each changes by itself; and so do the number of barriers, and the order of the products, which is
// another one in the steps that follow.
#include "fours.hpp"
#include "outer_product.hpp"
#include "problem.hpp"
#include "step/step.hpp"
#include "transpose.hpp"

namespace {
constexpr int tile = 128;
constexpr int half = tile / 2;
constexpr int side = 8;
constexpr int results = side * side;
constexpr dim3 block{tile / side, tile / side};
constexpr int warps = block.x * block.y / 32;

/// How deep tiles are; and after how many steps along k of a tile two more barriers stand, in thousands. 0:
/// no barrier stands within a tile.
constexpr int deep(int depth, int portion) { return 1000 * portion + depth; }

/// A warp reads a row of either tile, in accesses of 4 or 16 bytes to a thread. Here a is the transpose of A.
/// @tparam form deep()
template <int width, int form, bool to_and_fro>
__global__ void __launch_bounds__(block.x* block.y)
    sgemm_wide_or_deep(int m, int n, int k, float alpha, const float* __restrict__ a, std::int64_t lda,
                       const float* __restrict__ b, std::int64_t ldb, float beta, float* __restrict__ c,
                       std::int64_t ldc) {
  constexpr int depth = form % 1000;
  constexpr int portion = form / 1000;
  __shared__ alignas(16) float tile_a[depth][tile];
  __shared__ alignas(16) float tile_b[depth][tile];
  const int x = 4 * threadIdx.x;
  const int y = 4 * threadIdx.y;
  const int thread = threadIdx.y * block.x + threadIdx.x;
  const int first_row = static_cast<int>(block_y()) * tile;
  const int first_column = static_cast<int>(block_x()) * tile;
  const int row_read = thread / 32;
  const int column_read = thread % 32 * width;
  const float* const from_a = a + row_read * lda + first_row + column_read;
  const float* const from_b = b + row_read * ldb + first_column + column_read;

  float sums[side][side] = {};
  for (int first = 0; first < k; first += depth) {
#pragma unroll
    for (int i = 0; i < depth; i += warps) {
      const bool has_row = first + row_read + i < k;
      if constexpr (width == 4) {
        auto* const to_a = reinterpret_cast<float4*>(&tile_a[row_read + i][column_read]);
        auto* const to_b = reinterpret_cast<float4*>(&tile_b[row_read + i][column_read]);
        *to_a = load_valid<true>(from_a + (first + i) * lda, has_row ? m - first_row - column_read : 0);
        *to_b = load_valid<true>(from_b + (first + i) * ldb, has_row ? n - first_column - column_read : 0);
      } else {
#pragma unroll
        for (int j = 0; j < tile; j += 32) {
          const int column = column_read + j;
          tile_a[row_read + i][column] =
              has_row && first_row + column < m ? from_a[(first + i) * lda + j] : 0;
          tile_b[row_read + i][column] =
              has_row && first_column + column < n ? from_b[(first + i) * ldb + j] : 0;
        }
      }
    }
    __syncthreads();
#pragma unroll
    for (int l = 0; l < depth; ++l) {
      if constexpr (portion > 0) {
        if (l > 0 && l % portion == 0) {
          __syncthreads();
          __syncthreads();
        }
      }
      float of_a[side];
      float of_b[side];
      load_four(of_a, &tile_a[l][y]);
      load_four(of_a + 4, &tile_a[l][half + y]);
      load_four(of_b, &tile_b[l][x]);
      load_four(of_b + 4, &tile_b[l][half + x]);
      if constexpr (to_and_fro) {
        add_outer_product(sums, of_a, of_b);
      } else {
#pragma unroll
        for (int i = 0; i < side; ++i) {
#pragma unroll
          for (int j = 0; j < side; ++j) sums[i][j] += of_a[i] * of_b[j];
        }
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
      update_valid<width == 4>(&c[row * ldc + column], n - column, alpha, &sums[i][j], beta);
    }
  }
}

template <int width, int form, bool to_and_fro>
void launch(cudaStream_t stream, const Sgemm& p) {
  queue_transpose(stream, p);
  const dim3 grid = grid_over(p.n, p.m, {tile, tile});
  auto* const kernel =
      is_wide(p) ? sgemm_wide_or_deep<width, form, to_and_fro> : sgemm_wide_or_deep<1, form, to_and_fro>;
  kernel<<<grid, block, 0, stream>>>(p.m, p.n, p.k, p.alpha, p.workspace, transposed_pitch(p.m), p.b, p.ldb,
                                     p.beta, p.c, p.ldc);
}

std::int64_t workspace(std::int64_t m, std::int64_t, std::int64_t k) { return transposed_pitch(m) * k; }

template <int width>
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t warps_of_c = m * n / results / model::warp_size;
  const std::int64_t moved =
      2 * warps_of_c * k / warps * tile / 32 / width;  // a warp's accesses to the tiles
  const auto column = [](int lane) { return lane % block.x; };
  const auto row = [](int lane) { return lane / block.x; };
  return predict_transpose(m, k)
      .global_load(moved, 4 * width, [](int lane) { return lane; })
      .shared_store(moved, 4 * width, [](int lane) { return lane; })
      .shared_load(2 * warps_of_c * k, 16, row)
      .shared_load(2 * warps_of_c * k, 16, column)
      .global_store(warps_of_c * results / width, 4 * width,
                    [&](int lane) { return 4 / width * (n * row(lane) + column(lane)); });
}

template <int width, int form, bool to_and_fro = false>
void add_variant(bool is_default) {
  constexpr int portion = form / 1000;
  const Numbers depth = portion > 0 ? Numbers{form % 1000, portion} : Numbers{form};
  const Parameters parameters{{"width", {width}}, {"depth", depth}, {"to-and-fro", {to_and_fro ? 1 : 0}}};
  add(product_variant("wide-or-deep", {parameters, is_default}, launch<width, form, to_and_fro>,
                      predict<width>,
                      {.kind = Kind::experiment, .workspace = workspace, .measured = {{4096, 4096, 4096}}}));
}
}  // namespace

/// A depth of 16x8: tiles 16 deep, and two more barriers between the two eights, so that there are as many
/// barriers as with tiles 8 deep.
void weft::register_steps() {
  add_variant<1, 8>(true);
  add_variant<4, 8>(false);
  add_variant<1, 16>(false);
  add_variant<4, 16>(false);
  add_variant<4, 16, true>(false);
  add_variant<1, deep(16, 8)>(false);
}
