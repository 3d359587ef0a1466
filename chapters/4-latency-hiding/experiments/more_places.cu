// The collecting warp and the collecting warps with more blocks, each of fewer floats; and the collecting
// warp with room for two blocks on a multiprocessor, whose threads then have at most 64 registers.
#include "check_places.hpp"

namespace {
// [kernel]
/// @tparam whole whether all warps of the extra block collect
/// @tparam resident the compiler leaves room for at least so many blocks on a multiprocessor
template <int threads, int loads, bool streamed, bool whole, int resident>
__global__ __launch_bounds__(threads, resident) void more_places(const float* __restrict__ in,
                                                                 std::int64_t count, std::int64_t tiles,
                                                                 float* sum, std::uint32_t* places) {
  const unsigned others = gridDim.x - 1;
  if (blockIdx.x == others) {
    float all = 0;
    if constexpr (whole) {
      all = block_sum<threads>(part_of_places<threads, fours_of_thread>(places, others));
    } else {
      if (threadIdx.x >= model::warp_size) return;
      all = warp_sum(part_of_places<model::warp_size, fours_together<threads>>(places, others));
    }
    if (threadIdx.x == 0) *sum = all;
    return;
  }
  const std::int64_t tile = blockIdx.x * tiles;
  const float part =
      block_sum<threads>(sum_of_tiles<threads, loads, streamed>(in, count, tile, 1, tile + tiles));
  if (threadIdx.x == 0) leave(&places[blockIdx.x], part);
}
// [kernel]

template <bool whole, int resident>
void launch(cudaStream_t stream, const Sum& sum, std::int64_t most_sums) {
  const Plan plan(sum.count, most_sums);
  with_plan(plan, [&]<int threads, int loads, bool streamed> {
    more_places<threads, loads, streamed, whole, resident><<<plan.blocks + 1, threads, 0, stream>>>(
        sum.in, sum.count, plan.tiles_of_block, sum.sum, sum.workspace);
  });
}

template <bool whole, int resident>
void register_step(const Setting& setting, std::initializer_list<Numbers> sizes) {
  const std::int64_t most_sums = setting.number("places");
  const auto launches = [=](cudaStream_t stream, const Sum& sum) {
    launch<whole, resident>(stream, sum, most_sums);
  };
  Variant made = sum_in_own_places("more-places", setting, launches,
                                   whole ? predict_places_of_block : predict_places, most_sums);
  made.kind = Kind::experiment;
  made.measured = sizes;
  looks_by_loads(made);
  add(std::move(made));
}
}  // namespace

void weft::register_steps() {
  const Axes axes = Axes().with("places", {4096, 8192, 16384}).with("whole", {0, 1}).with("resident", {1, 2});
  for (const Setting& setting : axes.settings()) {
    const bool whole = setting.number("whole") != 0;
    if (setting.number("resident") == 1) {
      if (whole) register_step<true, 1>(setting, {{1 << 28}, {1 << 30}});
      if (!whole) register_step<false, 1>(setting, {{1 << 28}, {1 << 30}});
    } else if (setting.number("places") == Plan::few_sums && !whole) {
      register_step<false, 2>(setting, {{1 << 26}, {1 << 28}});
    }
  }
}

TEST_SUITE("device") {
  TEST_CASE("places are empty behind a launch, also when the collecting warps look at them twice") {
    constexpr std::int64_t most_sums = 16'384;
    constexpr std::int64_t in_two_goes = std::int64_t{8193} * 16'384;
    const auto launches = [](cudaStream_t stream, const Sum& sum) {
      launch<true, 1>(stream, sum, most_sums);
    };
    check_places(launches, most_sums, in_two_goes);
  }
}
