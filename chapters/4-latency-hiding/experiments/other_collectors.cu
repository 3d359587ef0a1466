// The collecting warp with one thing otherwise: it takes the sums by exchanges; or it belongs to a block that
// reads floats, too; or all warps of its block collect.
#include "own_places.hpp"

namespace {
constexpr int by_exchange = 1;
constexpr int in_reading_block = 2;
constexpr int whole_block = 3;

// [kernel]
/// What this lane takes of the sums, by exchanges that leave the places empty. It asks for four sums for each
/// load of the collecting warp, and then again for each that has not come.
template <int together>
__device__ float taken(std::uint32_t* places, unsigned blocks) {
  float sum = 0;
#pragma unroll 1
  for (unsigned first = threadIdx.x; first < blocks; first += together * model::warp_size) {
    std::uint32_t found[together];
#pragma unroll
    for (int i = 0; i < together; ++i) {
      const unsigned place = first + i * model::warp_size;
      found[i] = place < blocks ? atomicExch(&places[place], empty) : sum_of_0;
    }
#pragma unroll
    for (int i = 0; i < together; ++i) {
#pragma unroll 1
      while (found[i] == empty) found[i] = atomicExch(&places[first + i * model::warp_size], empty);
      sum += __uint_as_float(~found[i]);
    }
  }
  return sum;
}

template <int threads, int loads, bool streamed, int otherwise>
__global__ __launch_bounds__(threads, 1) void other_collector(const float* __restrict__ in,
                                                              std::int64_t count, std::int64_t tiles,
                                                              float* sum, std::uint32_t* places) {
  constexpr int together = fours_together<threads>;
  constexpr bool reads = otherwise == in_reading_block;
  const unsigned blocks = reads ? gridDim.x : gridDim.x - 1;
  const bool collects = blockIdx.x == gridDim.x - 1;
  if (reads && collects) {  // the other collectors' first look brings the lines
    const unsigned place = threadIdx.x * Meeting::words_of_line;
    if (place < blocks) asm volatile("prefetch.global.L2 [%0];" ::"l"(&places[place]));
  }
  if (reads || !collects) {
    const std::int64_t tile = blockIdx.x * tiles;
    const float part =
        block_sum<threads>(sum_of_tiles<threads, loads, streamed>(in, count, tile, 1, tile + tiles));
    if (threadIdx.x == 0) leave(&places[blockIdx.x], part);
  }
  if (!collects) return;
  float all = 0;
  if constexpr (otherwise == whole_block) {
    all = block_sum<threads>(part_of_places<threads, together>(places, blocks));
  } else {
    if (threadIdx.x >= model::warp_size) return;
    if constexpr (otherwise == by_exchange) {
      all = warp_sum(taken<4 * together>(places, blocks));
    } else {
      all = warp_sum(part_of_places<model::warp_size, together>(places, blocks));
    }
  }
  if (threadIdx.x == 0) *sum = all;
}
// [kernel]

template <int otherwise>
void launch(cudaStream_t stream, const Sum& sum) {
  const Plan plan(sum.count);
  const unsigned blocks = otherwise == in_reading_block ? plan.blocks : plan.blocks + 1;
  with_plan(plan, [&]<int threads, int loads, bool streamed> {
    other_collector<threads, loads, streamed, otherwise>
        <<<blocks, threads, 0, stream>>>(sum.in, sum.count, plan.tiles_of_block, sum.sum, sum.workspace);
  });
}

void predict_exchanges(model::Prediction& prediction, const Plan& plan) {
  predict_trees(prediction, plan, plan.blocks);
  prediction.global_store(plan.blocks + 1, 4, first_lane);
}

void register_step(const Setting& setting, Function<void(cudaStream_t, const Sum&)> launches,
                   void (*predict_meeting)(model::Prediction& prediction, const Plan& plan)) {
  Variant made = sum_in_own_places("other-collectors", setting, std::move(launches), predict_meeting);
  made.kind = Kind::experiment;
  made.measured = {{1 << 20}, {1 << 24}};
  made.polls = predict_meeting == predict_exchanges;
  if (!made.polls) looks_by_loads(made);
  add(std::move(made));
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting :
       Axes().with("otherwise", {by_exchange, in_reading_block, whole_block}).settings()) {
    const std::int64_t otherwise = setting.number("otherwise");
    if (otherwise == by_exchange) register_step(setting, launch<by_exchange>, predict_exchanges);
    if (otherwise == in_reading_block) register_step(setting, launch<in_reading_block>, predict_places);
    if (otherwise == whole_block) register_step(setting, launch<whole_block>, predict_places_of_block);
  }
}
