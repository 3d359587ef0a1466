// An extra block reads no floats: its first warp looks at the places of all sums with loads of 16 bytes,
// until none is empty.
#include "check_places.hpp"

namespace {
// [kernel]
/// @param places where each block but the last leaves its sum, empty before the launch and behind it
template <int threads, int loads, bool streamed>
__global__ __launch_bounds__(threads, 1) void collecting_warp(const float* __restrict__ in,
                                                              std::int64_t count, std::int64_t tiles,
                                                              float* sum, std::uint32_t* places) {
  const unsigned others = gridDim.x - 1;
  if (blockIdx.x == others) {
    if (threadIdx.x >= model::warp_size) return;
    const float all = warp_sum(part_of_places<model::warp_size, fours_together<threads>>(places, others));
    if (threadIdx.x == 0) *sum = all;
    return;
  }
  const std::int64_t tile = blockIdx.x * tiles;
  const float part =
      block_sum<threads>(sum_of_tiles<threads, loads, streamed>(in, count, tile, 1, tile + tiles));
  if (threadIdx.x == 0) leave(&places[blockIdx.x], part);
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, const Sum& sum) {
  const Plan plan(sum.count);
  with_plan(plan, [&]<int threads, int loads, bool streamed> {
    collecting_warp<threads, loads, streamed><<<plan.blocks + 1, threads, 0, stream>>>(
        sum.in, sum.count, plan.tiles_of_block, sum.sum, sum.workspace);
  });
}
// [launch]
}  // namespace

void weft::register_steps() {
  Variant made = sum_in_own_places("collecting-warp", {}, launch, predict_places);
  looks_by_loads(made);
  add(std::move(made));
}

TEST_SUITE("device") {
  TEST_CASE("places are empty behind a launch, whatever the sums are") {
    // More blocks than places that a warp looks at, at a time.
    constexpr std::int64_t in_two_goes = std::int64_t{2442} * 16'384;
    check_places(launch, Plan::few_sums, in_two_goes);
  }
}
