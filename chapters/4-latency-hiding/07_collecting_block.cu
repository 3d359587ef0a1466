// The block that begins last collects: it waits for each sum itself, so that nobody orders a sum before a
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

/// Adds up what all blocks leave, always in the same order, and leaves the places empty.
/// @param own the sum that this block would leave
__device__ float collected(std::uint32_t* places, float own) {
  constexpr int together = 8;
  float sum = 0;
  for (unsigned first = threadIdx.x; first < gridDim.x; first += together * threads) {
    std::uint32_t found[together];
#pragma unroll
    for (int i = 0; i < together; ++i) {
      const unsigned place = first + i * threads;
      found[i] = ~__float_as_uint(place == blockIdx.x ? own : 0.0F);
      if (place < gridDim.x && place != blockIdx.x) found[i] = take(&places[place]);
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
/// @param begun counts the blocks that have begun; it is zero before the launch and behind it
/// @param places where each block leaves its sum, empty before the launch and behind it
template <int loads, bool streamed>
__global__ __launch_bounds__(threads, 1) void collecting_block(const float* __restrict__ in,
                                                               std::int64_t count, std::int64_t tiles,
                                                               float* sum, unsigned* begun,
                                                               std::uint32_t* places) {
  __shared__ bool collects;
  __shared__ float own;
  unsigned before = 0;
  if (threadIdx.x == 0) before = atomicInc(begun, gridDim.x - 1);  // on its way beside the loads
  const std::int64_t tile = blockIdx.x * tiles;
  float part = sum_of_tiles<loads, streamed>(in, count, tile, 1, tile + tiles);
  // All others have begun: what they leave comes, whatever this block does.
  if (threadIdx.x == 0) collects = before == gridDim.x - 1;
  part = block_sum<threads>(part);
  if (!collects) {
    if (threadIdx.x == 0) leave(&places[blockIdx.x], part);
    return;
  }
  if (threadIdx.x == 0) own = part;
  __syncthreads();
  part = block_sum<threads>(collected(places, own));
  if (threadIdx.x == 0) *sum = part;
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, const Sum& sum) {
  const Plan plan(sum.count);
  const Meeting meeting(sum);
  with_loads(plan, [&]<int loads, bool streamed> {
    collecting_block<loads, streamed><<<plan.blocks, threads, 0, stream>>>(
        sum.in, sum.count, plan.tiles_of_block, sum.sum, meeting.counter, meeting.places);
  });
}
// [launch]

/// Whether a block collects is told by its first thread; warps without that thread are issued the store, too.
void predict_meeting(model::Prediction& prediction, std::int64_t blocks) {
  const std::int64_t idle = (blocks + 1) * (warps_of_block - 1);
  const std::int64_t collecting = min(std::int64_t{warps_of_block}, blocks_over(blocks, model::warp_size));
  prediction.shared_store(blocks + 1, 4, first_lane)
      .skipped_shared_store(idle)
      .shared_load(blocks * warps_of_block + collecting, 4, first_lane)
      .global_store(blocks, 4, first_lane);
}
}  // namespace

void weft::register_steps() { add(sum_in_one_launch("collecting-block", launch, predict_meeting)); }
