// The kernel of the step block-order with one thing changed at a time: how many stages, when copies begin,
// in which order blocks and products go, where the fours of a row lie in shared memory, how A is copied, how
// many blocks share a multiprocessor.
#include <iterator>
#include <utility>

#include "fours.hpp"
#include "outer_product.hpp"
#include "problem.hpp"
#include "step/step.hpp"
#include "thread_copy.hpp"
#include "transpose.hpp"

namespace {
constexpr int tile = 128;
constexpr int depth = 16;
constexpr int side = 8;
constexpr int warp_rows = 64;
constexpr int warp_columns = 32;
constexpr int down = warp_rows / 2;
constexpr int across = warp_columns / 2;
constexpr int threads = tile / side * (tile / side);

/// What is changed; as it stands here, it is the step.
struct Change {
  int stages = 3;
  bool late = false;               ///< copies begin behind the multiply-adds of a turn, not before
  int group = 16;                  ///< rows of tiles that are walked through together
  int spread_a = 1, spread_b = 1;  ///< neighbouring fours of a row lie so many fours apart
  int width_of_a = 4;              ///< floats to a copy
  bool to_and_fro = true;          ///< the order of a thread's products
  int blocks = 2;                  ///< to a multiprocessor
};

constexpr Change changes[] = {{},                                        //
                              {.group = 1},                              //
                              {.stages = 2},                             //
                              {.stages = 4},                             //
                              {.stages = 2, .late = true},               //
                              {.stages = 2, .blocks = 1},                //
                              {.stages = 2, .late = true, .blocks = 1},  //
                              {.spread_b = 8},                           //
                              {.spread_a = 4},                           //
                              {.spread_a = 8},                           //
                              {.spread_a = 8, .spread_b = 8},            //
                              {.width_of_a = 1},                         //
                              {.to_and_fro = false},                     //
                              {.blocks = 1}};

/// Where a four of a row lies: fours that were neighbours are `spread` fours apart, and a row has as many as
/// before.
__host__ __device__ constexpr int place_of_four(int four, int spread) {
  constexpr int fours = tile / 4;
  return four % (fours / spread) * spread + four / (fours / spread);
}

/// What a block multiplies at a time.
struct Tiles {
  float a[depth][tile];
  float b[depth][tile];
};

__host__ __device__ constexpr int lane_row(int lane) { return lane / 2 % 8; }
__host__ __device__ constexpr int lane_column(int lane) { return lane / 16 * 2 + lane % 2; }

/// Eight floats of a row of shared memory, in two fours.
template <int spread>
__device__ inline void load_eight(float (&to)[side], const float* row, int first_four, int apart) {
  const int first = place_of_four(first_four, spread) * 4;
  const int second = place_of_four(first_four + apart, spread) * 4;
  load_four(to, row + first);
  load_four(to + 4, row + second);
}

/// Starts to copy a share whose first float belongs to a column of a row.
template <int spread, class Copy>
__device__ inline void copy_spread(Copy& copy, float (&to)[depth][tile], int column) {
  const int moved = place_of_four(column / 4, spread) * 4 - column / 4 * 4;
  copy.copy(*reinterpret_cast<float (*)[depth][tile]>(&to[0][0] + moved));
}

template <bool to_and_fro>
__device__ inline void add_products(float (&sums)[side][side], const float (&a)[side],
                                    const float (&b)[side]) {
  if constexpr (to_and_fro) {
    add_outer_product(sums, a, b);
  } else {
#pragma unroll
    for (int j = 0; j < side; ++j) {
#pragma unroll
      for (int i = 0; i < side; ++i) sums[i][j] += a[i] * b[j];
    }
  }
}

/// Here a is the transpose of A: k rows, lda apart.
template <int number, int width>
__global__ __launch_bounds__(threads, 2) void sgemm_pipeline(int m, int n, int k, float alpha,
                                                             const float* __restrict__ a, std::int64_t lda,
                                                             const float* __restrict__ b, std::int64_t ldb,
                                                             float beta, float* __restrict__ c,
                                                             std::int64_t ldc) {
  constexpr Change change = changes[number];
  constexpr int stages = change.stages;
  extern __shared__ float4 shared[];
  auto* const tiles = reinterpret_cast<Tiles*>(shared);
  const int tiles_across = (n + tile - 1) / tile;
  const int panel = static_cast<int>(blockIdx.x) / (change.group * tiles_across) * change.group;
  const int within = static_cast<int>(blockIdx.x) % (change.group * tiles_across);
  const int rows_of_panel = min((m + tile - 1) / tile - panel, change.group);
  const int first_row = (panel + within % rows_of_panel) * tile;
  const int first_column = within / rows_of_panel * tile;
  constexpr int width_of_a = change.width_of_a;
  ThreadCopy<width_of_a, tile, depth, threads> copy_a(a, lda, k, m, first_row);
  ThreadCopy<width, tile, depth, threads> copy_b(b, ldb, k, n, first_column);
  const int column_of_a = static_cast<int>(threadIdx.x) % (tile / width_of_a) * width_of_a;
  const int column_of_b = static_cast<int>(threadIdx.x) % (tile / width) * width;
  const int lane = static_cast<int>(threadIdx.x) % warpSize;
  const int warp = static_cast<int>(threadIdx.x) / warpSize;
  const int x = warp % (tile / warp_columns) * warp_columns + lane_column(lane) * 4;
  const int y = warp / (tile / warp_columns) * warp_rows + lane_row(lane) * 4;

  float sums[side][side] = {};
  const auto copy_next = [&](Tiles& to) {
    copy_spread<change.spread_a>(copy_a, to.a, column_of_a);
    copy_spread<change.spread_b>(copy_b, to.b, column_of_b);
  };
#pragma unroll
  for (int i = 0; i < stages - 1; ++i) {
    copy_next(tiles[i]);
    __pipeline_commit();
  }
  int stage = 0;
  int empty = stages - 1;
  for (int left = k; left > 0; left -= depth) {
    __pipeline_wait_prior(stages - 2);
    __syncthreads();
    const bool more = left > (stages - 1) * depth;
    if (!change.late) {
      if (more) copy_next(tiles[empty]);
      __pipeline_commit();
    }
#pragma unroll
    for (int l = 0; l < depth; ++l) {
      float of_a[side];
      float of_b[side];
      load_eight<change.spread_a>(of_a, tiles[stage].a[l], y / 4, down / 4);
      load_eight<change.spread_b>(of_b, tiles[stage].b[l], x / 4, across / 4);
      add_products<change.to_and_fro>(sums, of_a, of_b);
    }
    if (change.late) {
      if (more) copy_next(tiles[empty]);
      __pipeline_commit();
    }
    empty = stage;
    stage = stage + 1 < stages ? stage + 1 : 0;
  }
  update_fours<width, down, across>(c, ldc, m, n, first_row + y, first_column + x, alpha, sums, beta);
}

template <int number>
void launch(cudaStream_t stream, const Sgemm& p) {
  constexpr Change change = changes[number];
  queue_transpose(stream, p);
  const std::int64_t blocks = blocks_over(p.m, tile) * blocks_over(p.n, tile);
  constexpr int alone = 120 * 1024;  // more than half of what a multiprocessor has
  constexpr int bytes = change.blocks == 1 ? alone : change.stages * static_cast<int>(sizeof(Tiles));
  require_shared(bytes);
  const auto kernel = is_wide(p) ? sgemm_pipeline<number, 4> : sgemm_pipeline<number, 1>;
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  kernel<<<grid_over(blocks, 1, {}), threads, bytes, stream>>>(
      p.m, p.n, p.k, p.alpha, p.workspace, transposed_pitch(p.m), p.b, p.ldb, p.beta, p.c, p.ldc);
}

std::int64_t workspace(std::int64_t m, std::int64_t, std::int64_t k) { return transposed_pitch(m) * k; }

template <int number>
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  static constexpr Change change = changes[number];
  const std::int64_t warps = m * n / side / side / model::warp_size;
  const auto lane_itself = [](int lane) { return lane; };
  const std::int64_t runs = k / depth - (change.stages - 1) + 1;     // of copies
  const std::int64_t floats = std::int64_t{depth} * tile / threads;  // to a thread
  return predict_transpose(m, k)
      .global_load(floats / change.width_of_a * warps * k / depth, 4 * change.width_of_a, lane_itself)
      .global_load(floats / 4 * warps * k / depth, 16, lane_itself)
      .shared_load(2 * warps * k, 16, [](int lane) { return place_of_four(lane_row(lane), change.spread_a); })
      .shared_load(2 * warps * k, 16,
                   [](int lane) { return place_of_four(lane_column(lane), change.spread_b); })
      .global_store(warps * side * 2, 16, [&](int lane) { return lane_row(lane) * n + lane_column(lane); })
      .skipped_shared_load(warps * runs * idle_loads);
}

/// Registers a change; those of the order of blocks are timed where A and B are many times as large as the
/// L2, too.
template <int number>
void add_change() {
  constexpr Change change = changes[number];
  const Parameters parameters{{"stages", {change.stages}},    {"late", {change.late ? 1 : 0}},
                              {"group", {change.group}},      {"spread", {change.spread_a, change.spread_b}},
                              {"width", {change.width_of_a}}, {"to-and-fro", {change.to_and_fro ? 1 : 0}},
                              {"blocks", {change.blocks}}};
  List<Shape> measured{{4096, 4096, 4096}};
  if (number == 0 || change.group == 1) measured.push_back({16'384, 16'384, 16'384});
  add(product_variant("pipeline", {parameters, number == 0}, launch<number>, predict<number>,
                      {.kind = Kind::experiment, .workspace = workspace, .measured = measured}));
}

template <int... numbers>
void add_changes(std::integer_sequence<int, numbers...> /*all*/) {
  (add_change<numbers>(), ...);
}
}  // namespace

void weft::register_steps() { add_changes(std::make_integer_sequence<int, std::size(changes)>{}); }
