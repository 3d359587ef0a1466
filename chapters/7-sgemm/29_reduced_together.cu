// Blocks that share a tile add up its sums together, each a part of them, where more than two share it.
#include "check/racecheck.hpp"
#include "fours.hpp"
#include "kernel/launch_with.hpp"
#include "step/step.hpp"
#include "tiled.hpp"
#include "transposed_tiles.hpp"  // sm_90a

namespace {
using namespace weft::hopper;

constexpr int shared_bytes = sizeof(TransposedStages) + box_alignment;

constexpr int threads_in_all = threads + 128;
constexpr int registers_to_multiply = 224;
constexpr int registers_to_fetch = 56;

// [share]
/// The blocks that have steps of a tile, and how many of them have handed over their sums. What counts the
/// last block is zero again.
struct Sharers {
  unsigned first, last;
};
__device__ unsigned handed_of_tile[most_blocks];

/// Hands the sums to all of the tile's blocks. A block may hold the end of a tile and the begin of the next
/// one: so it has two places.
__device__ inline HandedSums& place_of(HandedSums* all, unsigned block, Sharers sharers) {
  return all[block == sharers.first ? most_blocks + block : block];
}

/// Hands over the sums, and adds up a part of all that is handed over for this tile. The last block only
/// hands over: it may have steps of the next tile.
__device__ inline void reduce_together(const Output& c, TileOrder::Tile tile, int number, const Sums& sums,
                                       HandedSums* all, float one, Sharers sharers, int warp, int lane) {
  hand_to(place_of(all, blockIdx.x, sharers), sums, one);
  const unsigned parts = sharers.last - sharers.first + 1;
  const int reducing = static_cast<int>(parts) - 1;
  if (threadIdx.x == 0) {
    // NOLINTNEXTLINE(misc-const-correctness): the instructions write there
    unsigned* const count = &handed_of_tile[number];
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(count) : "memory");
    if (blockIdx.x < sharers.last) {
      while (load_acquire(count) < parts) {
      }
      asm volatile("red.relaxed.gpu.global.inc.u32 [%0], %1;" ::"l"(count), "r"(parts + reducing - 1)
                   : "memory");
    }
  }
  if (blockIdx.x == sharers.last) return;
  meet();
  constexpr int fours_across = thread_columns / 4;
  const bool by_fours = c.pitch % 4 == 0 && reinterpret_cast<std::uintptr_t>(c.data) % sizeof(float4) == 0;
  const int place = static_cast<int>(blockIdx.x - sharers.first);
#pragma unroll 1
  for (int four = place * fours_of_thread / reducing; four < (place + 1) * fours_of_thread / reducing;
       ++four) {
    float sum[4] = {};
#pragma unroll 8
    for (unsigned block = sharers.first; block <= sharers.last; ++block) {
      const float4 part = __ldcg(&place_of(all, block, sharers)[four][threadIdx.x]);
      sum[0] += part.x;
      sum[1] += part.y;
      sum[2] += part.z;
      sum[3] += part.w;
    }
    const int row = tile.first_row + row_of(warp, lane, four / fours_across);
    const int column = tile.first_column + column_of(warp, lane, four % fours_across * 4);
    if (row >= c.rows) continue;
    float* const to = &c.data[row * c.pitch + column];
    if (by_fours && column + 4 <= c.columns) {
      update_valid<true>(to, 4, c.alpha, sum, c.beta);
    } else {
      update_valid<false>(to, c.columns - column, c.alpha, sum, c.beta);
    }
  }
}
// [share]

// [kernel]
__global__ __launch_bounds__(threads_in_all,
                             1) void sgemm_reduced_together(const __grid_constant__ CUtensorMap a,
                                                            const __grid_constant__ CUtensorMap b, Output c,
                                                            int depth, HandedSums* handed_sums, float one) {
  extern __shared__ char raw[];
  __shared__ TransposedBarriers barriers;
  TransposedStages& stage = *first_aligned<TransposedStages>(raw);
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const TileOrder tiles(c.rows, c.columns);
  const int steps = (depth + tile_depth - 1) / tile_depth;
  Work work(tiles.count(), steps);
  Segment segment;

  if (threadIdx.x == 0) barriers.initialize_all();
  __syncthreads();

  if (warp >= warps) {
    give_registers<registers_to_fetch>();
    if (warp > warps) return transpose_tiles(stage, barriers, work, warp - warps - 1, lane);
    if (lane == 0) fetch_tiles(a, b, stage, barriers, tiles, work);
    return;
  }

  take_registers<registers_to_multiply>();
  Multiplier<1, 4, middle_row> multiplier(stage.stages, barriers.stages, warp, lane);
  while (for_all_lanes(work.next(segment))) {
    Sums sums = {};
    multiplier.add(sums, for_all_lanes(segment.end_step - segment.first_step));
    if (for_all_lanes(segment.end_step - segment.first_step < steps)) {
      const std::int64_t first_step = std::int64_t{steps} * segment.tile;
      const Sharers sharers{work.block_of(first_step), work.block_of(first_step + steps - 1)};
      if (for_all_lanes(sharers.last - sharers.first > 1)) {
        reduce_together(c, tiles[segment.tile], segment.tile, sums, handed_sums, one, sharers, warp, lane);
        continue;
      }
      if (for_all_lanes(segment.first_step > 0)) {
        hand_over(sums, handed_sums, one);
        continue;
      }
      take_over(sums, handed_sums, sharers.last);
    }
    store(c, tiles[segment.tile], sums, warp, lane, [=](int i) { return row_of(warp, lane, i); });
  }
}
// [kernel]

// [launch]
/// For the sums that blocks hand over, each in two places, and no less than tile-shapes asks for.
std::int64_t workspace(std::int64_t m, std::int64_t n, std::int64_t k) {
  constexpr std::int64_t handed = std::int64_t{2} * most_blocks * sizeof(HandedSums) / sizeof(float);
  return max(handed, tiled::workspace(m, n, k));
}

void launch(cudaStream_t stream, const Sgemm& p) {
  require_hopper();
  if (!has_boxed_factors(p)) return tiled::launch<0>(stream, p);
  const CUtensorMap a = boxes_of(p.a, p.m, p.k, p.lda, {.rows = tile_rows});
  const CUtensorMap b = boxes_of(p.b, p.k, p.n, p.ldb, {tile_depth, tile_columns, false});
  allow_shared(sgemm_reduced_together, shared_bytes);
  launch_together(stream, sgemm_reduced_together, blocks_for(p), threads_in_all, shared_bytes, a, b,
                  output_of(p), p.k, reinterpret_cast<HandedSums*>(p.workspace), 1.0F);
}
// [launch]

// [predict]
/// Beside the multiplying, each box of A is read and written once, four numbers a lane.
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t tiles = m / tile_rows * (n / tile_columns);
  const std::int64_t boxes = tiles * (k / tile_depth);
  model::Prediction prediction;
  predict_multiply(prediction, boxes, min(tiles, std::int64_t{multiprocessors_of_h200}));
  predict_transpose_boxes(prediction, boxes);
  predict_store(prediction, m, n, 4);
  return prediction;
}
// [predict]
}  // namespace

// [step]
/// Counted where tiles fill whole waves: a block that waits for another one asks again and again, and how
/// often is not to be predicted.
void weft::register_steps() {
  constexpr int shared_by_several = 14 * tile_depth;  // a block has four stages at least
  const Shape whole_waves{std::int64_t{12} * tile_rows, std::int64_t{11} * tile_columns, 512};
  add_product(
      "reduced-together", tile_axis(tile_rows, tile_columns, tile_depth), launch, predict,
      {.workspace = workspace, .everywhere = true, .counted = whole_waves, .least_depth = shared_by_several});
  check_beyond_racecheck();  // transposed_tiles.hpp says why
}
// [step]
