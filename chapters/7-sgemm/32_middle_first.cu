// The same multiply-adds in another order: at each k the rows in the middle come first, and a turn of the
// loop has eight k. The compiler then chooses other registers, and other places for the loads.

#include "boxed.hpp"  // sm_90a
#include "kernel/launch_with.hpp"
#include "multiplier.hpp"
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
template <int unrolled, int first_row>
__global__ __launch_bounds__(threads_with_producer,
                             1) void sgemm_middle_first(const __grid_constant__ CUtensorMap transposed,
                                                        const __grid_constant__ CUtensorMap b, Output c,
                                                        int depth, HandedSums* handed_sums, float one) {
  extern __shared__ char raw[];
  __shared__ StageBarriers barriers;
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
  Multiplier<2, unrolled, first_row> multiplier(stage, barriers, warp, lane);
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
template <int unrolled, int first_row>
void launch(cudaStream_t stream, const Sgemm& p) {
  require_hopper();
  if (p.k == 0) return tiled::launch<0>(stream, p);
  const auto [transposed, b] = boxed_factors(stream, p);
  const auto kernel = sgemm_middle_first<unrolled, first_row>;
  allow_shared(kernel, shared_bytes);
  launch_together(stream, kernel, blocks_for(p), threads_with_producer, shared_bytes, transposed, b,
                  output_of(p), p.k, handed_sums_in(p), 1.0F);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t tiles = m / tile_rows * (n / tile_columns);
  model::Prediction prediction = predict_transpose(m, k);
  predict_multiply(prediction, tiles * (k / tile_depth),
                   2 * min(tiles, std::int64_t{multiprocessors_of_h200}));
  predict_store(prediction, m, n, 4);
  return prediction;
}
// [predict]

// [variants]
/// Counted where tiles fill whole waves: a block that waits for another one asks again and again, and how
/// often is not to be predicted.
template <int unrolled, int first_row>
void add_variant(const List<Shape>& measured) {
  const Shape whole_waves{std::int64_t{12} * tile_rows, std::int64_t{11} * tile_columns, 512};
  const Parameters parameters{
      {"tile", {tile_rows, tile_columns, tile_depth}}, {"unrolled", {unrolled}}, {"first-row", {first_row}}};
  add(product_variant("middle-first", {parameters, measured.empty()}, launch<unrolled, first_row>, predict,
                      {.workspace = BoxedWorkspace::floats,
                       .everywhere = true,
                       .counted = whole_waves,
                       .measured = measured}));
}
// [variants]
}  // namespace

// [step]
void weft::register_steps() {
  const List<Shape> large{{4096, 4096, 4096}, {8191, 4099, 2053}};
  add_variant<8, middle_row>({});
  add_variant<8, 0>(large);
  add_variant<4, middle_row>(large);
  add_variant<4, 0>(large);
}
// [step]
