// Each lane goes one way or the other, and both ways take so many multiply-adds: what does a warp pay whose
// lanes part?
#include "ways.hpp"

namespace {
// [kernel]
/// @param ways of a thread: its bits
/// @param one not for the compiler to see: with it a way counts its multiply-adds
template <int up, int down>
__global__ __launch_bounds__(parting_block.x) void part(const std::uint32_t* __restrict__ ways,
                                                        float* __restrict__ out, float one) {
  const std::int64_t index = std::int64_t{blockIdx.x} * parting_block.x + threadIdx.x;
  const std::uint32_t way = ways[index];
  float sum = 0;
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    if ((way >> turn & 1U) != 0) {
#pragma unroll
      for (int i = 0; i < up; ++i) sum = fmaf(one, one, sum);
    } else {
#pragma unroll
      for (int i = 0; i < down; ++i) sum = fmaf(-one, one, sum);
    }
  }
  out[index] = sum;
}
// [kernel]

/// The multiply-adds of the two ways.
const List<Numbers> lengths{{64, 64}, {64, 4}, {4, 4}, {1, 1}};

WayKernel kernel_of(const Numbers& of_ways) {
  if (of_ways == lengths[0]) return part<64, 64>;
  if (of_ways == lengths[1]) return part<64, 4>;
  if (of_ways == lengths[2]) return part<4, 4>;
  return part<1, 1>;
}
}  // namespace

void weft::register_steps() {
  const Axes axes =
      Axes().with_tuples("lengths", lengths).with("percent", {50, 0, 3, 100}).with("sorted", {0, 1});
  for (const Setting& setting : axes.settings()) {
    const int percent = setting.number("percent");
    if (setting.number("sorted") != 0 && (percent == 0 || percent == one_hundred))
      continue;  // they are, anyway
    add(going_ways("divergence", setting, kernel_of(setting["lengths"])));
  }
}
