// Both ways multiply and add as often, and differ in one operand: each lane chooses its operand, and no warp
// parts.
//
// Exercise: The two ways of 64 multiply-adds differ in the sign of one operand. How can a warp whose lanes
// disagree take 64 multiply-adds a turn instead of 128?

#include "ways.hpp"

namespace {
// [kernel]
template <int length>
__global__ __launch_bounds__(parting_block.x) void choose(const std::uint32_t* __restrict__ ways,
                                                          float* __restrict__ out, float one) {
  const std::int64_t index = std::int64_t{blockIdx.x} * parting_block.x + threadIdx.x;
  const std::uint32_t way = ways[index];
  float sum = 0;
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    const float factor = (way >> turn & 1U) != 0 ? one : -one;
#pragma unroll
    for (int i = 0; i < length; ++i) sum = fmaf(factor, one, sum);
  }
  out[index] = sum;
}
// [kernel]
}  // namespace

void weft::register_steps() {
  for (const Setting& setting :
       Axes().with_tuples("lengths", {{64, 64}}).with("percent", {50, 0, 100}).with("sorted", {0}).settings())
    add(going_ways("chosen-operand", setting, choose<64>));
}
