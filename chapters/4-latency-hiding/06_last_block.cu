// One launch: the block that ends last adds up what all blocks have left, always in the same order.
#include "one_launch.hpp"

namespace {
// [kernel]
/// @param ended counts the blocks that have left their sum; it is zero before the launch and behind it
template <int threads, int loads, bool streamed>
__global__ __launch_bounds__(threads, 1) void last_block(const float* __restrict__ in, std::int64_t count,
                                                         std::int64_t tiles, float* sum, unsigned* ended,
                                                         float* sums) {
  __shared__ bool is_last;
  const std::int64_t tile = blockIdx.x * tiles;
  float part = block_sum<threads>(sum_of_tiles<threads, loads, streamed>(in, count, tile, 1, tile + tiles));
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = part;
    __threadfence();  // whoever sees the count sees the sum
    is_last = atomicInc(ended, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  part = 0;
#pragma unroll 8
  for (unsigned i = threadIdx.x; i < gridDim.x; i += threads) part += __ldcg(&sums[i]);
  part = block_sum<threads>(part);
  if (threadIdx.x == 0) *sum = part;
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, const Sum& sum) {
  const Plan plan(sum.count);
  const Meeting meeting(sum);
  with_plan(plan, [&]<int threads, int loads, bool streamed> {
    last_block<threads, loads, streamed>
        <<<plan.blocks, threads, 0, stream>>>(sum.in, sum.count, plan.tiles_of_block, sum.sum,
                                              meeting.counter, reinterpret_cast<float*>(meeting.places));
  });
}
// [launch]

void predict_meeting(model::Prediction& prediction, const Plan& plan) {
  const std::int64_t blocks = plan.blocks;
  const std::int64_t warps_of_block = plan.threads / model::warp_size;
  predict_trees(prediction, plan, blocks + 1);
  predict_loads(prediction, blocks, 4);
  prediction.shared_store(blocks, 4, first_lane)
      .shared_load(blocks * warps_of_block, 4, first_lane)
      .global_store(blocks + 1, 4, first_lane);
}
}  // namespace

void weft::register_steps() { add(sum_in_one_launch("last-block", launch, predict_meeting)); }
