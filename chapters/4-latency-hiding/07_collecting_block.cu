// One block collects: it waits for each sum itself, so that nobody counts, and nobody orders a sum before a
// count.
#include "one_launch.hpp"

namespace {
// [place]
/// What a place holds before a sum is left there. No sum has these bits: they are inverted, and what an
/// addition makes of NaNs is 0x7FFFFFFF.
constexpr std::uint32_t empty = 0;

__device__ void leave(std::uint32_t* place, float sum) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(place), "r"(~__float_as_uint(sum)) : "memory");
}

/// Takes what has been left there, if anything, and empties the place.
__device__ std::uint32_t take(std::uint32_t* place) { return atomicExch(place, empty); }

/// Asks for the lines of so many places, beside the loads of floats.
__device__ void fetch(const std::uint32_t* places, unsigned count) {
  const unsigned place = threadIdx.x * Meeting::words_of_line;
  if (place < count) asm volatile("prefetch.global.L2 [%0];" ::"l"(&places[place]));
}

/// Adds up what so many blocks leave, always in the same order, and leaves their places empty.
/// @tparam together a thread asks for so many at a time
template <int threads, int together>
__device__ float collected(std::uint32_t* places, unsigned count) {
  float sum = 0;
#pragma unroll 1
  for (unsigned first = threadIdx.x; first < count; first += together * threads) {
    std::uint32_t found[together];
#pragma unroll
    for (int i = 0; i < together; ++i) {
      const unsigned place = first + i * threads;
      found[i] = place < count ? take(&places[place]) : ~__float_as_uint(0.0F);
    }
#pragma unroll
    for (int i = 0; i < together; ++i) {
#pragma unroll 1
      while (found[i] == empty) found[i] = take(&places[first + i * threads]);
      sum += __uint_as_float(~found[i]);
    }
  }
  return sum;
}
// [place]

// [kernel]
/// @param places where each block but the last leaves its sum, empty before the launch and behind it
template <int threads, int loads, bool streamed>
__global__ __launch_bounds__(threads, 1) void collecting_block(const float* __restrict__ in,
                                                               std::int64_t count, std::int64_t tiles,
                                                               float* sum, std::uint32_t* places) {
  constexpr int together = threads == Plan::few_threads ? 1 : 8;  // of few blocks a thread collects one sum
  const unsigned others = gridDim.x - 1;
  const bool collects = blockIdx.x == others;
  if (collects) fetch(places, others);
  const std::int64_t tile = blockIdx.x * tiles;
  float part = sum_of_tiles<threads, loads, streamed>(in, count, tile, 1, tile + tiles);
  if (collects) part += collected<threads, together>(places, others);
  part = block_sum<threads>(part);
  if (threadIdx.x != 0) return;
  if (collects) {
    *sum = part;
  } else {
    leave(&places[blockIdx.x], part);
  }
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, const Sum& sum) {
  const Plan plan(sum.count);
  with_plan(plan, [&]<int threads, int loads, bool streamed> {
    collecting_block<threads, loads, streamed><<<plan.blocks, threads, 0, stream>>>(
        sum.in, sum.count, plan.tiles_of_block, sum.sum, Meeting(sum).places);
  });
}
// [launch]

void predict_meeting(model::Prediction& prediction, const Plan& plan) {
  predict_trees(prediction, plan, plan.blocks);
  prediction.global_store(plan.blocks, 4, first_lane);
}
}  // namespace

void weft::register_steps() { add(sum_in_one_launch("collecting-block", launch, predict_meeting)); }
