// Each tile of A is transposed on its way, in shared memory, by warps that have nothing else to do.
#include "check/racecheck.hpp"
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

// [kernel]
__global__ __launch_bounds__(threads_in_all,
                             1) void sgemm_transposed_tiles(const __grid_constant__ CUtensorMap a,
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
  Multiplier<2, 4, middle_row> multiplier(stage.stages, barriers.stages, warp, lane);
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
  allow_shared(sgemm_transposed_tiles, shared_bytes);
  launch_together(stream, sgemm_transposed_tiles, blocks_for(p), threads_in_all, shared_bytes, a, b,
                  output_of(p), p.k, reinterpret_cast<HandedSums*>(p.workspace), 1.0F);
}
// [launch]

// [predict]
/// Beside the multiplying, each box of A is read and written once, four numbers a lane.
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t tiles = m / tile_rows * (n / tile_columns);
  const std::int64_t boxes = tiles * (k / tile_depth);
  model::Prediction prediction;
  predict_multiply(prediction, boxes, 2 * min(tiles, std::int64_t{multiprocessors_of_h200}));
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
      "transposed-tiles", tile_axis(tile_rows, tile_columns, tile_depth), launch, predict,
      {.workspace = workspace, .everywhere = true, .counted = whole_waves, .least_depth = shared_by_several});
  check_beyond_racecheck();  // transposed_tiles.hpp says why
}
// [step]
