// Stream-K without a transposition: A is read as it lies, and still ahead of the multiplying.
#include "depthwise_ahead.hpp"  // sm_90a
#include "kernel/launch_with.hpp"
#include "step/step.hpp"
#include "stream_k.hpp"
#include "tiled.hpp"

namespace {
using namespace weft::hopper;

constexpr int shared_bytes = sizeof(Stages) + box_alignment;

constexpr int threads_with_producer = threads + 128;
constexpr int registers_to_multiply = 240;
constexpr int registers_to_fetch = 24;

// [kernel]
__global__ __launch_bounds__(threads_with_producer,
                             1) void sgemm_untransposed(const __grid_constant__ CUtensorMap a,
                                                        const __grid_constant__ CUtensorMap b, Output c,
                                                        int depth, HandedSums* handed_sums, float one) {
  extern __shared__ char raw[];
  __shared__ StepBarriers barriers;
  Stages& stage = *first_aligned<Stages>(raw);
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const TileOrder tiles(c.rows, c.columns);
  const int steps = (depth + tile_depth - 1) / tile_depth;
  Work work(tiles.count(), steps);
  Segment segment;

  if (threadIdx.x == 0) {
    for (TransferBarrier& barrier : barriers.arrived) initialize(barrier, 1);
    for (TransferBarrier& barrier : barriers.left) initialize(barrier, warps);
    publish_barriers();
  }
  __syncthreads();

  if (warp >= warps) {
    give_registers<registers_to_fetch>();
    if (threadIdx.x != threads) return;
    Ring<stages> ring;
    while (work.next(segment)) {
      const TileOrder::Tile tile = tiles[segment.tile];
      for (int step = segment.first_step; step < segment.end_step; ++step, ring.advance()) {
        TransferBarrier& arrival = barriers.arrived[ring.slot];
        wait(barriers.left[ring.slot], ring.parity ^ 1);
        arrive_expecting(arrival, sizeof(Stage));
        load_box(stage[ring.slot].a, a, tile.first_row, step * tile_depth, arrival);
        load_box(stage[ring.slot].b, b, step * tile_depth, tile.first_column, arrival);
      }
    }
    wait(barriers.left[ring.slot], ring.parity ^ 1);
    arrive(barriers.arrived[ring.slot]);  // as if it had arrived: it is loaded from, but not multiplied
    return;
  }

  take_registers<registers_to_multiply>();
  DepthwiseMultiplier multiplier(stage, barriers, warp, lane);
  while (for_all_lanes(work.next(segment))) {
    Sums sums = {};
    multiplier.add(sums, for_all_lanes(segment.end_step - segment.first_step));
    if (for_all_lanes(segment.first_step > 0)) {
      hand_over(sums, handed_sums, one);
      continue;
    }
    // The rest of this tile may lie with the blocks behind this one.
    if (for_all_lanes(segment.end_step < steps)) {
      const std::int64_t end_of_tile = std::int64_t{steps} * (segment.tile + 1);
      for (unsigned block = blockIdx.x + 1; work.begin_of(block) < end_of_tile; ++block)
        take_over(sums, handed_sums, block);
    }
    store(c, tiles[segment.tile], sums, warp, lane, [=](int i) { return row_of(warp, lane, i); });
  }
}
// [kernel]

// [launch]
/// For the sums that blocks hand over, and no less than tile-shapes asks for.
std::int64_t workspace(std::int64_t m, std::int64_t n, std::int64_t k) {
  constexpr std::int64_t handed = std::int64_t{most_blocks} * sizeof(HandedSums) / sizeof(float);
  return max(handed, tiled::workspace(m, n, k));
}

void launch(cudaStream_t stream, const Sgemm& p) {
  require_hopper();
  if (!has_boxed_factors(p)) return tiled::launch<0>(stream, p);
  const CUtensorMap a = boxes_of(p.a, p.m, p.k, p.lda, {.rows = tile_rows});
  const CUtensorMap b = boxes_of(p.b, p.k, p.n, p.ldb, {tile_depth, tile_columns, false});
  allow_shared(sgemm_untransposed, shared_bytes);
  launch_together(stream, sgemm_untransposed, blocks_for(p), threads_with_producer, shared_bytes, a, b,
                  output_of(p), p.k, reinterpret_cast<HandedSums*>(p.workspace), 1.0F);
}
// [launch]

// [predict]
/// As in the steps that read A as it lies, and for each block once more four steps of A and one row of B,
/// which lie behind its last stage.
model::Prediction predict_untransposed(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t blocks = min(m / tile_rows * (n / tile_columns), std::int64_t{multiprocessors_of_h200});
  model::Prediction prediction = predict(m, n, k);
  prediction.shared_load(warps * blocks * thread_rows, 16, lanes_of_a)
      .shared_load(warps * blocks * thread_columns / 4, 16, lane_across);
  return prediction;
}
// [predict]
}  // namespace

// [step]
/// Counted where tiles fill whole waves: a block that waits for another one asks again and again, and how
/// often is not to be predicted.
void weft::register_steps() {
  const Shape whole_waves{std::int64_t{12} * tile_rows, std::int64_t{11} * tile_columns, 512};
  add_product("untransposed", tile_axis(tile_rows, tile_columns, tile_depth), launch, predict_untransposed,
              {.workspace = workspace, .everywhere = true, .counted = whole_waves});
}
// [step]
