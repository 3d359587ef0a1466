// Extents that no tile divides: few multiply-adds have a factor outside of the matrices, and rows may begin
// anywhere.
#include "boxed.hpp"  // sm_90a
#include "edges.hpp"
#include "kernel/launch_with.hpp"
#include "multiplier.hpp"
#include "step/step.hpp"
#include "stream_k.hpp"
#include "tiled.hpp"

namespace {
using namespace weft::hopper;

struct StagesAndRows {
  Stages stages;
  StoredRows rows;
};
constexpr int shared_bytes = sizeof(StagesAndRows) + box_alignment;

constexpr int threads_with_producer = threads + 128;
constexpr int registers_to_multiply = 240;
constexpr int registers_to_fetch = 24;

// [kernel]
__global__ __launch_bounds__(threads_with_producer,
                             1) void sgemm_cut_edges(const __grid_constant__ CUtensorMap transposed,
                                                     const __grid_constant__ CUtensorMap b, Output c,
                                                     int depth, HandedSums* handed_sums, float one) {
  extern __shared__ char raw[];
  __shared__ StageBarriers barriers;
  auto& [stage, stored_rows] = *first_aligned<StagesAndRows>(raw);
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
        arrive_expecting(arrival, bytes_of_stage);
        load_box(stage.a[ring.slot], transposed, step * tile_depth, tile.first_row, arrival);
        load_box(stage.b[ring.slot], b, step * tile_depth, tile.first_column, arrival);
      }
    }
    wait(barriers.left[ring.slot], ring.parity ^ 1);
    arrive(barriers.arrived[ring.slot]);  // as if it had arrived: it is loaded from, but not multiplied
    return;
  }

  take_registers<registers_to_multiply>();
  Multiplier<2, 8, middle_row> multiplier(stage, barriers, warp, lane);
  while (for_all_lanes(work.next(segment))) {
    Sums sums = {};
    const int behind_depth = for_all_lanes(max(0, segment.end_step * tile_depth - depth));
    multiplier.add(sums, for_all_lanes(segment.end_step - segment.first_step),
                   [=](int left) { return left == 1 ? behind_depth : 0; });
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
    store_words(c, tiles[segment.tile], sums, stored_rows, warp, lane,
                [=](int of_lane, int i) { return row_of(warp, of_lane, i); });
  }
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, const Sgemm& p) {
  require_hopper();
  if (p.k == 0) return tiled::launch<0>(stream, p);
  const int narrow = p.n > tile_columns && p.n % tile_columns <= most_narrow_columns ? p.n % tile_columns : 0;
  Sgemm tiled = p;
  tiled.n -= narrow;
  const Edges edges = edges_of(p, tiled.n);
  edges::prepare<<<edges.blocks(), edges::threads, 0, stream>>>(edges);
  const CUtensorMap transposed =
      boxes_of(p.workspace, p.k, p.m, edges.transposed_pitch, {tile_depth, tile_rows, false});
  const bool copied = edges.copied_b != nullptr;
  const CUtensorMap b = boxes_of(copied ? edges.copied_b : p.b, p.k, tiled.n,
                                 copied ? edges.copied_pitch : p.ldb, {tile_depth, tile_columns, false});
  allow_shared(sgemm_cut_edges, shared_bytes);
  launch_together(stream, sgemm_cut_edges, blocks_for(tiled), threads_with_producer, shared_bytes, transposed,
                  b, output_of(tiled), p.k, handed_sums_in(p), 1.0F);
}
// [launch]

// [predict]
/// Rows of C pass through shared memory, and are stored a word a lane.
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t tiles = m / tile_rows * (n / tile_columns);
  const std::int64_t words_of_c = m * n / model::warp_size;
  const auto lane_itself = [](int lane) { return lane; };
  model::Prediction prediction = predict_transpose(m, k);
  predict_multiply(prediction, tiles * (k / tile_depth),
                   2 * min(tiles, std::int64_t{multiprocessors_of_h200}));
  return prediction
      .shared_store(words_of_c / 4, 16,
                    [](int lane) { return lane_down(lane) * StoredRows::pitch / 4 + lane_across(lane); })
      .shared_load(words_of_c, 4, lane_itself)
      .global_store(words_of_c, 4, lane_itself);
}
// [predict]
}  // namespace

// [step]
/// Counted where tiles fill whole waves: a block that waits for another one asks again and again, and how
/// often is not to be predicted.
void weft::register_steps() {
  const Shape whole_waves{std::int64_t{12} * tile_rows, std::int64_t{11} * tile_columns, 512};
  add_product("cut-edges", tile_axis(tile_rows, tile_columns, tile_depth), launch, predict,
              {.workspace = BoxedWorkspace::floats, .everywhere = true, .counted = whole_waves});
}
// [step]
