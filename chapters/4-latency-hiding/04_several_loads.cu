// A thread asks for several vectors before it adds the first: more bytes are on their way.

#include "block_sum.hpp"
#include "two_launches.hpp"

namespace {
// [kernel]
template <int loads>
__global__ __launch_bounds__(block.x,
                             blocks_of_multiprocessor) void several_loads(const float* __restrict__ in,
                                                                          std::int64_t count,
                                                                          float* __restrict__ sums) {
  float sum = sum_of_tiles<block.x, loads>(in, count, blockIdx.x, gridDim.x, INT64_MAX);
  sum = block_sum_by_tree<block.x>(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
// [kernel]

KernelOfSums kernel_of(int loads) {
  switch (loads) {
    case 1:
      return several_loads<1>;
    case 2:
      return several_loads<2>;
    case 4:
      return several_loads<4>;
    default:
      return several_loads<8>;
  }
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("loads", {4, 1, 2, 8}).settings()) {
    add(sum_in_two_launches("several-loads", setting, kernel_of(setting.number()), setting.number(),
                            predict_block_sum_by_tree<block.x>));
  }
}
