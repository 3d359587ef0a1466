// One warp asks for the tiles, and leaves its registers to the warps that multiply: no barrier for all warps
// is needed.
#include "depthwise.hpp"  // sm_90a
#include "tiled.hpp"

namespace {
using namespace weft::hopper;

constexpr int stages = 4;

// [registers]
/// The multiprocessor's registers are dealt out evenly to warps, and then handed over, four warps at a time.
constexpr int threads_with_producer = threads + 128;
constexpr int registers_to_multiply = 240;
constexpr int registers_to_fetch = 24;
// [registers]

constexpr int shared_bytes = stages * sizeof(Stage) + box_alignment;

// [kernel]
__global__ __launch_bounds__(threads_with_producer,
                             1) void sgemm_producer_warp(const __grid_constant__ CUtensorMap a,
                                                         const __grid_constant__ CUtensorMap b, Output c,
                                                         int depth) {
  extern __shared__ char raw[];
  __shared__ TransferBarrier arrived[stages];
  __shared__ TransferBarrier left[stages];
  auto* const stage = first_aligned<Stage>(raw);
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const TileOrder::Tile tile = TileOrder(c.rows, c.columns)[blockIdx.x];
  const int steps = (depth + tile_depth - 1) / tile_depth;

  if (threadIdx.x == 0) {
    for (TransferBarrier& barrier : arrived) initialize(barrier, 1);
    for (TransferBarrier& barrier : left) initialize(barrier, warps);
    publish_barriers();
  }
  __syncthreads();

  if (warp >= warps) {
    give_registers<registers_to_fetch>();
    if (threadIdx.x != threads) return;
    for (int step = 0; step < steps; ++step) {
      const int slot = step % stages;
      wait(left[slot], (step / stages + 1) % 2);  // at first, as if the phase before had ended
      arrive_expecting(arrived[slot], sizeof(Stage));
      load_box(stage[slot].a, a, tile.first_row, step * tile_depth, arrived[slot]);
      load_box(stage[slot].b, b, step * tile_depth, tile.first_column, arrived[slot]);
    }
    return;
  }

  take_registers<registers_to_multiply>();
  Sums sums = {};
  for (int step = 0; step < steps; ++step) {
    const int slot = step % stages;
    wait(arrived[slot], step / stages % 2);
    multiply(sums, stage[slot], warp, lane);
    __syncwarp();
    if (lane == 0) arrive(left[slot]);
  }
  store(c, tile, sums, warp, lane, [=](int i) { return row_of(warp, lane, i); });
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, const Sgemm& p) {
  require_hopper();
  if (!has_boxed_factors(p)) return tiled::launch<0>(stream, p);
  const CUtensorMap a = boxes_of(p.a, p.m, p.k, p.lda, {.rows = tile_rows});
  const CUtensorMap b = boxes_of(p.b, p.k, p.n, p.ldb, {tile_depth, tile_columns, false});
  allow_shared(sgemm_producer_warp, shared_bytes);
  const int blocks = TileOrder(p.m, p.n).count();
  sgemm_producer_warp<<<blocks, threads_with_producer, shared_bytes, stream>>>(a, b, output_of(p), p.k);
}
// [launch]
}  // namespace

// [step]
void weft::register_steps() {
  add_product("producer-warp", tile_axis(tile_rows, tile_columns, tile_depth), launch, predict,
              {.workspace = tiled::workspace});
}
// [step]
