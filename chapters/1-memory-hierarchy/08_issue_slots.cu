// Of eight instructions six are multiply-adds and two go to the integer unit, so that neither unit is full.
// The program waits only for the scheduler, which starts one instruction in a cycle.
#include "arithmetic.hpp"

namespace {
constexpr int rounds = 32;
constexpr int instructions_of_turn = chains * rounds + 3;  ///< and what counts, compares and jumps
constexpr int schedulers = 4;                              ///< of a multiprocessor

// [kernel]
__global__ __launch_bounds__(full_block.x, blocks_of_multiprocessor) void issue(int turns, float one,
                                                                                int zero, float* sums) {
  float chain[chains - 2];
#pragma unroll
  for (int i = 0; i < chains - 2; ++i) chain[i] = static_cast<float>(i);
  int number = static_cast<int>(threadIdx.x);
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
      for (float& part : chain) part = fmaf(one, one, part);
      number = (number + zero) ^ zero;
    }
  }
  float sum = 0;
#pragma unroll
  for (const float part : chain) sum += part;
  sums[std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x] = sum + static_cast<float>(number);
}
// [kernel]

void launch(unsigned blocks, cudaStream_t stream, int turns, float one, int zero, float* sums) {
  issue<<<blocks, full_block, 0, stream>>>(turns, one, zero, sums);
}

float sum_of_chains(std::int64_t thread, std::int64_t turns) {
  float sum = 0;
  for (int i = 0; i < chains - 2; ++i) sum += static_cast<float>(rounds * turns + i);
  return sum + static_cast<float>(thread % full_block.x);
}
}  // namespace

/// It is rated by the instructions of one scheduler, of which one follows the other.
void weft::register_steps() {
  Variant made = arithmetic_roof("issue-slots", sum_of_chains, launch);
  made.rated_by = Rating::accesses;
  made.amounts = [](const Shape& shape) {
    return Amounts{.accesses =
                       std::int64_t{warps_of_multiprocessor / schedulers} * instructions_of_turn * shape[0]};
  };
  add(std::move(made));
}
