// The tensor memory accelerator fetches the tiles of A and B, three stages ahead; no thread computes their
// addresses.
#include "depthwise.hpp"  // sm_90a
#include "tiled.hpp"

namespace {
using namespace weft::hopper;

constexpr int stages = 4;

constexpr int shared_bytes = stages * sizeof(Stage) + box_alignment;

// [kernel]
__global__ __launch_bounds__(threads) void sgemm_tma(const __grid_constant__ CUtensorMap a,
                                                     const __grid_constant__ CUtensorMap b, Output c,
                                                     int depth) {
  extern __shared__ char raw[];
  __shared__ TransferBarrier arrived[stages];
  auto* const stage = first_aligned<Stage>(raw);
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const TileOrder::Tile tile = TileOrder(c.rows, c.columns)[blockIdx.x];
  const int steps = (depth + tile_depth - 1) / tile_depth;

  const auto fetch = [&](int step) {
    Stage& to = stage[step % stages];
    TransferBarrier& arrival = arrived[step % stages];
    arrive_expecting(arrival, sizeof(Stage));
    load_box(to.a, a, tile.first_row, step * tile_depth, arrival);
    load_box(to.b, b, step * tile_depth, tile.first_column, arrival);
  };
  if (threadIdx.x == 0) {
    for (TransferBarrier& barrier : arrived) initialize(barrier, 1);
    publish_barriers();
    for (int step = 0; step < min(steps, stages - 1); ++step) fetch(step);
  }
  __syncthreads();

  Sums sums = {};
  for (int step = 0; step < steps; ++step) {
    wait(arrived[step % stages], step / stages % 2);
    // What the step before has read is free now: all threads have passed the barrier at its end.
    if (threadIdx.x == 0 && step + stages - 1 < steps) fetch(step + stages - 1);
    multiply(sums, stage[step % stages], warp, lane);
    __syncthreads();
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
  allow_shared(sgemm_tma, shared_bytes);
  const int blocks = TileOrder(p.m, p.n).count();
  sgemm_tma<<<blocks, threads, shared_bytes, stream>>>(a, b, output_of(p), p.k);
}
// [launch]
}  // namespace

// [step]
void weft::register_steps() {
  add_product("tma", tile_axis(tile_rows, tile_columns, tile_depth), launch, predict,
              {.workspace = tiled::workspace});
}
// [step]
