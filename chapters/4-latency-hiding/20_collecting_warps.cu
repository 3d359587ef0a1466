// All warps of the extra block look at places, so they look at many sums at a time. Then the sums may be
// more, and the blocks shorter.
#include "check_places.hpp"

namespace {
constexpr std::int64_t most_sums = 1 << 13;

// [kernel]
/// @param places as the collecting warp's
template <int threads, int loads, bool streamed>
__global__ __launch_bounds__(threads, 1) void collecting_warps(const float* __restrict__ in,
                                                               std::int64_t count, std::int64_t tiles,
                                                               float* sum, std::uint32_t* places) {
  const unsigned others = gridDim.x - 1;
  if (blockIdx.x == others) {
    const float all = block_sum<threads>(part_of_places<threads, fours_of_thread>(places, others));
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
  const Plan plan(sum.count, most_sums);
  with_plan(plan, [&]<int threads, int loads, bool streamed> {
    collecting_warps<threads, loads, streamed><<<plan.blocks + 1, threads, 0, stream>>>(
        sum.in, sum.count, plan.tiles_of_block, sum.sum, sum.workspace);
  });
}
// [launch]
}  // namespace

void weft::register_steps() {
  Variant made = sum_in_own_places("collecting-warps", {}, launch, predict_places_of_block, most_sums);
  looks_by_loads(made);
  add(std::move(made));
}

TEST_SUITE("device") {
  TEST_CASE("places are empty behind a launch, whatever the sums are") {
    // The plan gives each block two tiles, and the last one a single tile.
    constexpr std::int64_t many = (most_sums + 1) * 16'384;
    check_places(launch, most_sums, many);
  }
}
