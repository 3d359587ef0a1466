// Blocks that run at a time lie in a square of C, not in a few of its rows: they share what the L2 holds.
#include <set>
#include <utility>

#include "fours.hpp"
#include "outer_product.hpp"
#include "problem.hpp"
#include "thread_copy.hpp"
#include "transpose.hpp"

namespace {
constexpr int tile = 128;  // rows and columns of C to a block
constexpr int depth = 16;  // columns of A and rows of B at a time
constexpr int side = 8;    // rows and columns of C to a thread: four here, four half a warp's tile further
constexpr int warp_rows = 64;
constexpr int warp_columns = 32;
constexpr int down = warp_rows / 2;
constexpr int across = warp_columns / 2;
constexpr int threads = tile / side * (tile / side);
constexpr int blocks_per_multiprocessor = 2;  // 128 registers a thread
constexpr int stages = 3;

/// What a block multiplies at a time.
struct Tiles {
  float a[depth][tile];
  float b[depth][tile];
};

// [lanes]
/// Where the lanes of a warp lie, in fours: eight below each other, four beside each other. Lanes that differ
/// in their lowest bit read the same of A, lanes that differ in the next one the same of B.
__host__ __device__ constexpr int lane_row(int lane) { return lane / 2 % 8; }
__host__ __device__ constexpr int lane_column(int lane) { return lane / 16 * 2 + lane % 2; }
// [lanes]

constexpr int group = 16;  // rows of tiles that are walked through together

// [order]
/// A tile of C, by how many tiles lie above and left of it.
struct Place {
  int row, column;
};

/// The tile of a block: down the first `group` rows of tiles, column by column, then down the next ones.
__host__ __device__ constexpr Place place_of(int block, int tiles_down, int tiles_across) {
  const int first_row = block / (group * tiles_across) * group;
  const int within = block % (group * tiles_across);
  const int rows = tiles_down - first_row < group ? tiles_down - first_row : group;
  return {first_row + within % rows, within / rows};
}
// [order]

// [kernel]
/// Here a is the transpose of A: k rows, lda apart.
template <int width>
__global__ __launch_bounds__(threads, blocks_per_multiprocessor) void sgemm_block_order(
    int m, int n, int k, float alpha, const float* __restrict__ a, std::int64_t lda,
    const float* __restrict__ b, std::int64_t ldb, float beta, float* __restrict__ c, std::int64_t ldc) {
  __shared__ alignas(sizeof(float4)) Tiles tiles[stages];
  const Place place = place_of(static_cast<int>(blockIdx.x), (m + tile - 1) / tile, (n + tile - 1) / tile);
  const int first_row = place.row * tile;
  const int first_column = place.column * tile;
  ThreadCopy<4, tile, depth, threads> copy_a(a, lda, k, m, first_row);
  ThreadCopy<width, tile, depth, threads> copy_b(b, ldb, k, n, first_column);
  const int lane = static_cast<int>(threadIdx.x) % warpSize;
  const int warp = static_cast<int>(threadIdx.x) / warpSize;
  const int x = warp % (tile / warp_columns) * warp_columns + lane_column(lane) * 4;
  const int y = warp / (tile / warp_columns) * warp_rows + lane_row(lane) * 4;

  float sums[side][side] = {};
  const auto copy_next = [&](Tiles& to) {
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
  for (int left = k; left > 0; left -= depth) {
    __pipeline_wait_prior(stages - 2);  // the copies of this stage are done
    __syncthreads();                    // all threads have their copies, and have read the previous stage
    if (left > (stages - 1) * depth) copy_next(tiles[empty]);
    __pipeline_commit();  // an empty group at the end, so that there are always as many
#pragma unroll
    for (int l = 0; l < depth; ++l) {
      float of_a[side];
      float of_b[side];
      load_fours<down>(of_a, &tiles[stage].a[l][y]);
      load_fours<across>(of_b, &tiles[stage].b[l][x]);
      add_outer_product(sums, of_a, of_b);
    }
    empty = stage;
    stage = stage + 1 < stages ? stage + 1 : 0;
  }
  update_fours<width, down, across>(c, ldc, m, n, first_row + y, first_column + x, alpha, sums, beta);
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, const Sgemm& p) {
  queue_transpose(stream, p);
  const dim3 grid = grid_over(blocks_over(p.m, tile) * blocks_over(p.n, tile), 1, {});
  const auto kernel = is_wide(p) ? sgemm_block_order<4> : sgemm_block_order<1>;
  kernel<<<grid, threads, 0, stream>>>(p.m, p.n, p.k, p.alpha, p.workspace, transposed_pitch(p.m), p.b, p.ldb,
                                       p.beta, p.c, p.ldc);
}

std::int64_t workspace(std::int64_t m, std::int64_t, std::int64_t k) { return transposed_pitch(m) * k; }
// [launch]

// [predict]
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t warps = m * n / side / side / model::warp_size;
  const std::int64_t fours = std::int64_t{depth} * tile / 4 / threads;  // to a thread
  const auto four = [](int lane) { return lane; };
  const std::int64_t runs = k / depth - (stages - 1) + 1;  // of copies: one before the loop, then one a turn
  return predict_transpose(m, k)
      .global_load(2 * fours * warps * k / depth, 16, four)
      .shared_load(2 * warps * k, 16, lane_row)
      .shared_load(2 * warps * k, 16, lane_column)
      .global_store(warps * side * 2, 16, [&](int lane) { return lane_row(lane) * n + lane_column(lane); })
      .skipped_shared_load(warps * runs * idle_loads);
}
// [predict]
}  // namespace

void weft::register_steps() {
  add_product("block-order", tile_axis(tile, tile, depth), launch, predict, {.workspace = workspace});
}

TEST_CASE("each tile has a block, and 264 blocks take tiles of few rows and columns") {
  for (const auto& [down, across] : {std::pair{1, 1}, {3, 5}, {16, 2}, {17, 40}, {128, 128}}) {
    std::set<std::pair<int, int>> places;
    for (int block = 0; block < down * across; ++block) {
      const Place place = place_of(block, down, across);
      CHECK(place.row >= 0);
      CHECK(place.row < down);
      CHECK(place.column >= 0);
      CHECK(place.column < across);
      places.emplace(place.row, place.column);
    }
    CHECK(places.size() == static_cast<std::size_t>(down * across));
  }
  std::set<int> rows;
  std::set<int> columns;
  for (int block = 0; block < 264; ++block) {
    const Place place = place_of(block, 128, 128);
    rows.insert(place.row);
    columns.insert(place.column);
  }
  CHECK(rows.size() + columns.size() == 33);  // in the order of the rows it would be 3 + 128
}
