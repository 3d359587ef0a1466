// Small tiles for products with few large ones: the warps of a block share a tile's depth, and add up their
// sums in shared memory.
#include "fours.hpp"
#include "hopper.hpp"  // sm_90a
#include "step/step.hpp"
#include "tiled.hpp"

namespace {
using namespace weft::hopper;

// [geometry]
/// Two warps compute the tile, from a slice of each stage: 64 × 128, or 128 × 64.
constexpr int short_side = warp_rows;
constexpr int long_side = 2 * warp_columns;
constexpr int slices = 4;
constexpr int threads_of_slice = threads / slices;
constexpr int stages = 8;

/// A slice takes four steps of each half of a stage.
constexpr int together = 4;
constexpr int half_depth = slices * together;
static_assert(tile_depth == 2 * half_depth);

template <int rows, int columns>
struct Stage {
  float a[rows][tile_depth];  ///< swizzled
  float b[tile_depth][columns];
};
// [geometry]

struct StageBarriers {
  TransferBarrier arrived[stages];
  TransferBarrier left[stages];
};

constexpr int threads_with_producer = threads + 128;
constexpr int registers_to_multiply = 240;
constexpr int registers_to_fetch = 24;

template <int rows, int columns>
constexpr int shared_bytes = stages * sizeof(Stage<rows, columns>) + box_alignment;

// [order]
/// The column at a place of a row's way. The first four columns have their numbers of B in the bank of the
/// number of A, the next eight in the other bank, and the last four in the first bank again.
__device__ constexpr int column_at(int place, int bank) {
  if (place < 4) return place * 2 + bank;
  if (place < 12) return (place - 4) * 2 + 1 - bank;
  return (place - 8) * 2 + bank;
}

/// Adds the products of one step, and does something behind each row.
__device__ inline void add_products(Sums& sums, const float (&a)[thread_rows][together], int step,
                                    const float (&b)[thread_columns], auto behind_row) {
#pragma unroll
  for (int i = 0; i < thread_rows; ++i) {
#pragma unroll
    for (int place = 0; place < thread_columns; ++place) {
      const int j = column_at(i % 2 == 0 ? place : thread_columns - 1 - place, step % 2);
      sums[i][j] = fmaf(a[i][step], b[j], sums[i][j]);
    }
    behind_row(i);
  }
}
// [order]

/// Four steps of a row of A.
__device__ inline void load_steps(float (&a)[together], unsigned address) {
  const float4 four = load_four(address);
  a[0] = four.x;
  a[1] = four.y;
  a[2] = four.z;
  a[3] = four.w;
}

// [multiply]
/// Adds a slice of all stages. The numbers of A of the next half of a stage take the places of this one's as
/// soon as these have been used; rows of B are asked for three steps before.
/// @param row,column of the thread's first result, in the tile
template <int rows, int columns>
__device__ inline void multiply(Sums& sums, const Stage<rows, columns>* stage, StageBarriers& barriers,
                                int steps, int slice, int row, int column) {
  // First the steps whose numbers of A are in registers of one bank, then those of the other.
  constexpr int order[together] = {0, 2, 1, 3};
  constexpr unsigned stage_bytes = sizeof(Stage<rows, columns>);
  constexpr unsigned rows_apart = lanes_down * sizeof(stage->a[0]);
  constexpr unsigned b_apart = sizeof(stage->b[0]);
  constexpr unsigned half_of_a = half_depth * sizeof(float);
  const unsigned a_first = shared_address(&stage->a[row][0]) + (slice ^ row % 8) * sizeof(float4);
  const unsigned b_first = shared_address(&stage->b[slice * together][column]);
  const int halves = 2 * steps;
  unsigned b_at = b_first;
  float a[thread_rows][together];
  float b[together][thread_columns];

  wait(barriers.arrived[0], 0);
#pragma unroll
  for (int i = 0; i < thread_rows; ++i) load_steps(a[i], a_first + i * rows_apart);
#pragma unroll
  for (int u = 0; u < together - 1; ++u) load_row(b[u], b_first + order[u] * b_apart);

#pragma unroll 1
  for (int half = 0; half < halves; ++half) {
    const int next = half + 1;
    const int slot = next / 2 % stages;
    if (next < halves) wait(barriers.arrived[slot], next / (2 * stages) % 2);
    const unsigned a_next = (a_first ^ next % 2 * half_of_a) + slot * stage_bytes;
    const unsigned b_next = b_first + next % 2 * half_depth * b_apart + slot * stage_bytes;
#pragma unroll
    for (int u = 0; u < together; ++u) {
      const int ahead = (u + together - 1) % together;
      load_row(b[ahead], (u == 0 ? b_at : b_next) + order[ahead] * b_apart);
      add_products(sums, a, order[u], b[u], [&](int i) {
        if (u == together - 1) load_steps(a[i], a_next + i * rows_apart);
      });
    }
    b_at = b_next;
    __syncwarp();
    if (half % 2 && threadIdx.x % 32 == 0) arrive(barriers.left[half / 2 % stages]);
  }
}
// [multiply]

// [add-slices]
/// The sums of all slices, in place of the stages.
using SlicedSums = float4[slices][thread_rows * thread_columns / 4][threads_of_slice];

/// Adds up what the slices have, a quarter of the columns in each slice, and updates C.
/// @param row,column of the thread's first result, in C
__device__ inline void add_slices(const Output& c, const Sums& sums, SlicedSums& sliced, int slice, int row,
                                  int column) {
  constexpr int fours = thread_columns / 4;
  static_assert(fours == slices);
  const bool by_fours = c.pitch % 4 == 0 && reinterpret_cast<std::uintptr_t>(c.data) % sizeof(float4) == 0;
  const int place = static_cast<int>(threadIdx.x) % threads_of_slice;
  const int first = column + slice * lanes_across * 4;
  meet();
  // Pairs change places: so a sum is in a register of the other bank than the number of B that it is for.
#pragma unroll
  for (int i = 0; i < thread_rows; ++i) {
#pragma unroll
    for (int j = 0; j < thread_columns; j += 4) {
      sliced[slice][i * fours + j / 4][place] = {sums[i][j + 1], sums[i][j], sums[i][j + 3], sums[i][j + 2]};
    }
  }
  meet();
#pragma unroll
  for (int i = 0; i < thread_rows; ++i) {
    float sum[4] = {};
#pragma unroll
    for (const auto& of_slice : sliced) {
      const float4 part = of_slice[i * fours + slice][place];
      sum[0] += part.y;
      sum[1] += part.x;
      sum[2] += part.w;
      sum[3] += part.z;
    }
    if (row + i * lanes_down >= c.rows) continue;
    float* const to = &c.data[(row + i * lanes_down) * c.pitch + first];
    if (by_fours && first + 4 <= c.columns) {
      update_valid<true>(to, 4, c.alpha, sum, c.beta);
    } else {
      update_valid<false>(to, c.columns - first, c.alpha, sum, c.beta);
    }
  }
}
// [add-slices]

// [kernel]
template <int rows, int columns>
__global__ __launch_bounds__(threads_with_producer,
                             1) void sgemm_sliced(const __grid_constant__ CUtensorMap a,
                                                  const __grid_constant__ CUtensorMap b, Output c,
                                                  int depth) {
  using TheStage = Stage<rows, columns>;
  extern __shared__ char raw[];
  __shared__ StageBarriers barriers;
  auto* const stage = first_aligned<TheStage>(raw);
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const TileOrder::Tile tile = TileOrder(c.rows, c.columns, rows, columns)[blockIdx.x];
  const int steps = (depth + tile_depth - 1) / tile_depth;

  const auto fetch = [&](int slot, int step) {
    arrive_expecting(barriers.arrived[slot], sizeof(TheStage));
    load_box(stage[slot].a, a, tile.first_row, step * tile_depth, barriers.arrived[slot]);
    load_box(stage[slot].b, b, step * tile_depth, tile.first_column, barriers.arrived[slot]);
  };
  if (threadIdx.x == threads) {
    for (TransferBarrier& barrier : barriers.arrived) initialize(barrier, 1);
    for (TransferBarrier& barrier : barriers.left) initialize(barrier, warps);
    publish_barriers();
    for (int step = 0; step < min(steps, stages); ++step) fetch(step, step);
  }
  __syncthreads();

  if (warp >= warps) {
    give_registers<registers_to_fetch>();
    if (threadIdx.x != threads) return;
    Ring<stages> ring;
    for (int step = stages; step < steps; ++step, ring.advance()) {
      wait(barriers.left[ring.slot], ring.parity);
      fetch(ring.slot, step);
    }
    return;
  }

  take_registers<registers_to_multiply>();
  const int side = warp % 2;
  const int slice = warp / 2;
  const int row = (rows > warp_rows ? side * warp_rows : 0) + lane_down(lane);
  const int column = (columns > warp_columns ? side * warp_columns : 0) + lane_across(lane) * 4;
  Sums sums = {};
  multiply(sums, stage, barriers, steps, slice, row, column);
  auto& sliced = *reinterpret_cast<SlicedSums*>(stage);
  static_assert(sizeof(sliced) <= stages * sizeof(TheStage));
  add_slices(c, sums, sliced, slice, tile.first_row + row, tile.first_column + column);
}
// [kernel]

// [launch]
template <int rows, int columns>
void launch_tiles(cudaStream_t stream, const Sgemm& p) {
  constexpr int bytes = shared_bytes<rows, columns>;
  const CUtensorMap a = boxes_of(p.a, p.m, p.k, p.lda, {.rows = rows});
  const CUtensorMap b = boxes_of(p.b, p.k, p.n, p.ldb, {tile_depth, columns, false});
  const auto kernel = sgemm_sliced<rows, columns>;
  allow_shared(kernel, bytes);
  const int blocks = TileOrder(p.m, p.n, rows, columns).count();
  kernel<<<blocks, threads_with_producer, bytes, stream>>>(a, b, output_of(p), p.k);
}

/// The long side of a tile lies along that of C.
void launch(cudaStream_t stream, const Sgemm& p) {
  require_hopper();
  if (!has_boxed_factors(p)) return tiled::launch<0>(stream, p);
  if (p.n < p.m) return launch_tiles<long_side, short_side>(stream, p);
  launch_tiles<short_side, long_side>(stream, p);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  constexpr int fours = thread_rows * thread_columns / 4;
  const std::int64_t warps_at_work = m * n / short_side / long_side * warps;
  const std::int64_t halves = k / half_depth;
  const auto lane_itself = [](int lane) { return lane; };
  model::Prediction prediction;
  prediction
      .shared_load(warps_at_work * (halves + 1) * thread_rows, 16,
                   [](int lane) { return lane_down(lane) * tile_depth / 4 + lane_down(lane) % 8; })
      .shared_load(warps_at_work * ((halves + 1) * together - 1) * thread_columns / 4, 16, lane_across)
      .shared_store(warps_at_work * fours, 16, lane_itself)
      .shared_load(warps_at_work * fours, 16, lane_itself);
  predict_store(prediction, m, n, 1);
  return prediction;
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() {
  add_product("sliced", tile_axis(short_side, long_side, tile_depth).with("slices", {slices}), launch,
              predict, {.workspace = tiled::workspace, .everywhere = true});
}
// [step]
