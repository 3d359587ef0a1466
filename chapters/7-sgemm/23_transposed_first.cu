// A is transposed first: a column of A lies side by side, and a thread reads ahead while it multiplies
// with the column before.

#include "boxed.hpp"  // sm_90a
#include "multiplier.hpp"
#include "tiled.hpp"

namespace {
using namespace weft::hopper;

constexpr int shared_bytes = sizeof(Stages) + box_alignment;

constexpr int threads_with_producer = threads + 128;
constexpr int registers_to_multiply = 240;
constexpr int registers_to_fetch = 24;

// [kernel]
__global__ __launch_bounds__(threads_with_producer,
                             1) void sgemm_transposed_first(const __grid_constant__ CUtensorMap transposed,
                                                            const __grid_constant__ CUtensorMap b, Output c,
                                                            int depth) {
  extern __shared__ char raw[];
  __shared__ StageBarriers barriers;
  Stages& stage = *first_aligned<Stages>(raw);
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const TileOrder tiles(c.rows, c.columns);
  const int steps = (depth + tile_depth - 1) / tile_depth;

  if (threadIdx.x == 0) {
    for (TransferBarrier& barrier : barriers.arrived) initialize(barrier, 1);
    for (TransferBarrier& barrier : barriers.left) initialize(barrier, warps);
    publish_barriers();
  }
  __syncthreads();

  if (warp >= warps) {
    give_registers<registers_to_fetch>();
    if (threadIdx.x != threads) return;
    wait_for_one_in_front();
    Ring<stages> ring;
    for (int number = blockIdx.x; number < tiles.count(); number += gridDim.x) {
      const TileOrder::Tile tile = tiles[number];
      for (int step = 0; step < steps; ++step, ring.advance()) {
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
  Multiplier multiplier(stage, barriers, warp, lane);
  for (int number = blockIdx.x; number < tiles.count(); number += gridDim.x) {
    Sums sums = {};
    multiplier.add(sums, steps);
    store(c, tiles[number], sums, warp, lane, [=](int i) { return row_of(warp, lane, i); });
  }
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, const Sgemm& p) {
  require_hopper();
  if (p.k == 0) return tiled::launch<0>(stream, p);
  const auto [transposed, b] = boxed_factors(stream, p);
  allow_shared(sgemm_transposed_first, shared_bytes);
  const int blocks = min(TileOrder(p.m, p.n).count(), multiprocessors());
  launch_early(stream, sgemm_transposed_first, blocks, threads_with_producer, shared_bytes, transposed, b,
               output_of(p), p.k);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t tiles = m / tile_rows * (n / tile_columns);
  model::Prediction prediction = predict_transpose(m, k);
  predict_multiply(prediction, tiles * (k / tile_depth), min(tiles, std::int64_t{multiprocessors_of_h200}));
  predict_store(prediction, m, n, 4);
  return prediction;
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() {
  add_product("transposed-first", tile_axis(tile_rows, tile_columns, tile_depth), launch, predict,
              {.workspace = BoxedWorkspace::floats, .everywhere = true});
}
// [step]
