// An extra block reads no floats: its only warp looks at the places of all sums with plain loads of 16
// bytes, until none is empty.
#include <cmath>

#include "own_places.hpp"

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
  made.measured.clear();
  for (const std::int64_t size : sizes_of_sums) made.measured.push_back({size});
  add(std::move(made));
}

TEST_SUITE("device") {
  TEST_CASE("places are empty behind a launch, whatever the sums are") {
    constexpr std::uint32_t all_ones = ~0U;  // a NaN: the bits of an empty place, if it were left as it is
    constexpr std::uint32_t one = 0x3F800000;
    constexpr std::uint32_t minus_0 = 0x80000000;
    // More blocks than places that a warp looks at, at a time.
    constexpr std::int64_t in_two_goes = std::int64_t{2442} * 16'384;
    for (const std::int64_t count : {std::int64_t{1}, std::int64_t{4096}, std::int64_t{1} << 20,
                                     (std::int64_t{1} << 20) + 5, std::int64_t{3'000'001}, in_two_goes}) {
      GuardedBuffer<std::uint32_t> in(count);
      GuardedBuffer<float> sum(1);
      const std::int64_t words = 4 * blocks_over(Plan(count).blocks, 4);
      GuardedBuffer<std::uint32_t> places(words);
      places.fill([](std::int64_t) { return empty; });
      for (const std::uint32_t bits : {all_ones, one, minus_0}) {
        CAPTURE(count);
        CAPTURE(bits);
        in.fill([=](std::int64_t) { return bits; });
        launch(nullptr, {reinterpret_cast<const float*>(in.data()), count, sum.data(), places.data()});
        cuda_check(cudaGetLastError());
        float found = 0;
        sum.copy_out(0, 1, &found);
        if (bits == all_ones) CHECK(std::isnan(found));
        if (bits == one) CHECK(found == static_cast<float>(count));
        if (bits == minus_0) CHECK(found == 0);
        List<std::uint32_t> left(static_cast<std::size_t>(words));
        places.copy_out(0, words, left.data());
        for (const std::uint32_t word : left) CHECK(word == empty);
      }
    }
  }
}
