// Multiply-adds whose two factors are the same register: how many does the GPU do in a second?
#include "arithmetic.hpp"

namespace {
constexpr int rounds = 32;

// [kernel]
__global__ __launch_bounds__(full_block.x, blocks_of_multiprocessor) void multiply_add(int turns, float one,
                                                                                       float* sums) {
  float chain[chains];
#pragma unroll
  for (int i = 0; i < chains; ++i) chain[i] = static_cast<float>(i);
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int i = 0; i < chains * rounds; ++i) chain[i % chains] = fmaf(one, one, chain[i % chains]);
  }
  float sum = 0;
#pragma unroll
  for (const float part : chain) sum += part;
  sums[std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x] = sum;
}
// [kernel]

void launch(unsigned blocks, cudaStream_t stream, int turns, float one, int, float* sums) {
  multiply_add<<<blocks, full_block, 0, stream>>>(turns, one, sums);
}

/// A chain counts its multiply-adds, from 0, 1, 2, … on.
float sum_of_chains(std::int64_t /*thread*/, std::int64_t turns) {
  float sum = 0;
  for (int i = 0; i < chains; ++i) sum += static_cast<float>(rounds * turns + i);
  return sum;
}
}  // namespace

void weft::register_steps() {
  Variant made = arithmetic_roof("ffma", sum_of_chains, launch);
  made.rated_by = Rating::operations;
  made.amounts = [](const Shape& shape) {
    return Amounts{.operations = 2 * threads_of_card() * chains * rounds * shape[0]};
  };
  add(std::move(made));
}
