#pragma once

/// @file
/// The product in tiles of any shape: what the steps before it do with tiles of one shape.

#include <cstdint>

#include "candidates.hpp"
#include "fours.hpp"
#include "kernel/grid.hpp"
#include "outer_product.hpp"
#include "problem.hpp"
#include "thread_copy.hpp"
#include "transpose.hpp"

namespace weft::tiled {

/// A tile of C, by how many tiles lie above and left of it.
struct Place {
  int row, column;
};

/// The tile of a block: down the first `group` rows of tiles, column by column, then down the next ones.
static __device__ inline Place place_of(int block, int tiles_down, int tiles_across, int group) {
  const int first_row = block / (group * tiles_across) * group;
  const int within = block % (group * tiles_across);
  const int rows = min(tiles_down - first_row, group);
  return {first_row + within % rows, within / rows};
}

/// What a block multiplies at a time.
template <int candidate>
struct Tiles {
  static constexpr TileShape shape = candidates[candidate];
  float a[shape.depth][shape.pitch()];
  float b[shape.depth][shape.columns];
};

// [copy-of-a]
/// A thread's share of the tiles of A, which is the transpose of A unless they are turned on their way.
template <int candidate>
__device__ auto copy_of_a(const float* a, std::int64_t lda, int m, int k, int first_row) {
  constexpr TileShape shape = candidates[candidate];
  if constexpr (shape.turned) {
    return TurnedCopy<shape.rows, shape.pitch(), shape.depth, shape.threads()>(a, lda, m, k, first_row);
  } else {
    return ThreadCopy<4, shape.rows, shape.depth, shape.threads()>(a, lda, k, m, first_row);
  }
}
// [copy-of-a]

// [tiled]
template <int candidate, int width>
static __global__ __launch_bounds__(
    candidates[candidate].threads(),
    candidates[candidate].blocks) void sgemm_tiled(int m, int n, int k, float alpha,
                                                   const float* __restrict__ a, std::int64_t lda,
                                                   const float* __restrict__ b, std::int64_t ldb, float beta,
                                                   float* __restrict__ c, std::int64_t ldc) {
  constexpr TileShape shape = candidates[candidate];
  constexpr int down = shape.lanes_down() * 4;
  constexpr int across = shape.lanes_across() * 4;
  constexpr int stages = shape.stages;
  extern __shared__ float4 shared[];
  auto* const tiles = reinterpret_cast<Tiles<candidate>*>(shared);
  const Place place = place_of(static_cast<int>(blockIdx.x), (m + shape.rows - 1) / shape.rows,
                               (n + shape.columns - 1) / shape.columns, shape.group);
  const int first_row = place.row * shape.rows;
  const int first_column = place.column * shape.columns;
  auto copy_a = copy_of_a<candidate>(a, lda, m, k, first_row);
  ThreadCopy<width, shape.columns, shape.depth, shape.threads()> copy_b(b, ldb, k, n, first_column);
  const int lane = static_cast<int>(threadIdx.x) % warpSize;
  const int warp = static_cast<int>(threadIdx.x) / warpSize;
  constexpr int warps_across = shape.columns / shape.warp_columns;
  const int x = warp % warps_across * shape.warp_columns + shape.lane_column(lane) * 4;
  const int y = warp / warps_across * shape.warp_rows + shape.lane_row(lane) * 4;

  float sums[shape.held_rows][shape.held_columns] = {};
  const auto copy_next = [&](Tiles<candidate>& to) {
    copy_a.copy(to.a);
    copy_b.copy(to.b);
  };
#pragma unroll
  for (int i = 0; i < stages - 1; ++i) {
    copy_next(tiles[i]);
    __pipeline_commit();
  }
  int stage = 0;
  int empty = stages - 1;
  for (int left = k; left > 0; left -= shape.depth) {
    __pipeline_wait_prior(stages - 2);
    __syncthreads();
    if (left > (stages - 1) * shape.depth) copy_next(tiles[empty]);
    __pipeline_commit();
#pragma unroll
    for (int l = 0; l < shape.depth; ++l) {
      float of_a[shape.held_rows];
      float of_b[shape.held_columns];
      load_fours<down>(of_a, &tiles[stage].a[l][y]);
      load_fours<across>(of_b, &tiles[stage].b[l][x]);
      add_outer_product(sums, of_a, of_b);
    }
    empty = stage;
    stage = stage + 1 < stages ? stage + 1 : 0;
  }
  update_fours<width, down, across>(c, ldc, m, n, first_row + y, first_column + x, alpha, sums, beta);
}
// [tiled]

// [tiled-launch]
template <int candidate>
void launch(cudaStream_t stream, const Sgemm& p) {
  constexpr TileShape shape = candidates[candidate];
  constexpr int bytes = shape.stages * sizeof(Tiles<candidate>);
  require_shared(bytes);
  if constexpr (!shape.turned) queue_transpose(stream, p);
  const std::int64_t tiles = blocks_over(p.m, shape.rows) * blocks_over(p.n, shape.columns);
  const auto kernel = is_wide(p) ? sgemm_tiled<candidate, 4> : sgemm_tiled<candidate, 1>;
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  kernel<<<grid_over(tiles, 1, {}), shape.threads(), bytes, stream>>>(
      p.m, p.n, p.k, p.alpha, shape.turned ? p.a : p.workspace, shape.turned ? p.lda : transposed_pitch(p.m),
      p.b, p.ldb, p.beta, p.c, p.ldc);
}
// [tiled-launch]

/// Room for the transpose of A, which is the most that any candidate needs of workspace.
inline std::int64_t workspace(std::int64_t m, std::int64_t /*n*/, std::int64_t k) {
  return transposed_pitch(m) * k;
}

/// What a candidate needs of workspace.
template <int candidate>
std::int64_t workspace_of(std::int64_t m, std::int64_t n, std::int64_t k) {
  return candidates[candidate].turned ? 0 : workspace(m, n, k);
}

template <int candidate>
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  static constexpr TileShape shape = candidates[candidate];
  const std::int64_t warps = m * n / shape.warp_rows / shape.warp_columns;
  const auto fours = [](int columns) { return std::int64_t{shape.depth} * columns / 4 / shape.threads(); };
  const auto row = [](int lane) { return shape.lane_row(lane); };
  const auto column = [](int lane) { return shape.lane_column(lane); };
  const auto eight = [&](int lane) { return lane / 8 * k + lane % 8; };
  const auto four = [](int lane) { return lane; };
  model::Prediction prediction = shape.turned ? model::Prediction{} : predict_transpose(m, k);
  if (shape.turned) {
    prediction.global_load(warps * k * shape.rows / shape.threads(), 4, eight);
  } else {
    prediction.global_load(fours(shape.rows) * warps * k / shape.depth, 16, four);
  }
  const std::int64_t runs = k / shape.depth - (shape.stages - 1) + 1;
  return prediction.global_load(fours(shape.columns) * warps * k / shape.depth, 16, four)
      .shared_load(shape.held_rows / 4 * warps * k, 16, row)
      .shared_load(shape.held_columns / 4 * warps * k, 16, column)
      .global_store(warps * shape.held_rows * shape.held_columns / 4, 16,
                    [&](int lane) { return 4 * row(lane) * (n / 4) + column(lane); })
      .skipped_shared_load(warps * runs * idle_loads);
}

}  // namespace weft::tiled
