// Lanes hand their sums to each other by shuffles, and a block has one barrier instead of eight.

#include "block_sum.hpp"
#include "two_launches.hpp"

namespace {
constexpr int loads = 4;

// [kernel]
__global__ __launch_bounds__(block.x, blocks_of_multiprocessor) void shuffles(const float* __restrict__ in,
                                                                              std::int64_t count,
                                                                              float* __restrict__ sums) {
  float sum = sum_of_tiles<block.x, loads>(in, count, blockIdx.x, gridDim.x, INT64_MAX);
  sum = block_sum<block.x>(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
// [kernel]
}  // namespace

void weft::register_steps() {
  add(sum_in_two_launches("shuffles", {}, shuffles, loads, predict_block_sum<block.x>));
}
