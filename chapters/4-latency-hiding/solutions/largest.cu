// The largest word and its place: a maximum has the same bits in any order, so blocks may meet in one atomic.
//
// Exercise: Find the largest of many words, and the first place where it stands, with one atomic of each
// block.
#include <algorithm>

#include "problem.hpp"

namespace {
constexpr dim3 comparing_block{256};

// [kernel]
/// A word and its place as one number, which is larger if the word is, or if it stands further in front.
__device__ unsigned long long key_of(std::uint32_t value, std::int64_t index) {
  return static_cast<unsigned long long>(value) << 32U | ~static_cast<std::uint32_t>(index);
}

/// @param found zero before the launch
__global__ __launch_bounds__(comparing_block.x) void largest(const std::uint32_t* __restrict__ in,
                                                             std::int64_t count, unsigned long long* found) {
  unsigned long long most = 0;
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t index = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; index < count;
       index += threads) {
    most = max(most, key_of(in[index], index));
  }
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) most = max(most, __shfl_xor_sync(~0U, most, apart));
  __shared__ unsigned long long of_warps[comparing_block.x / 32];
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = most;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (const unsigned long long of_warp : of_warps) most = max(most, of_warp);
  atomicMax(found, most);
}
// [kernel]

__global__ void clear(unsigned long long* found) { *found = 0; }

/// Few different words, so that the largest stands in several places.
std::uint32_t some_word(std::uint64_t seed, std::int64_t index) { return word(seed, index) % 1009; }

std::uint64_t expected(std::uint64_t seed, std::int64_t count) {
  std::uint64_t most = 0;
  for (std::int64_t index = 0; index < count; ++index) {
    const auto place = ~static_cast<std::uint32_t>(index);
    most = std::max(most, std::uint64_t{some_word(seed, index)} << 32U | place);
  }
  return most;
}

Owned<Problem> make(std::int64_t count) {
  auto problem = make_owned<ArrayProblem>();
  auto& in = problem->input<std::uint32_t>("in", {count}, some_word);
  auto& found =
      problem->output<std::uint64_t>("found", {1}, [=](auto seed, auto) { return expected(seed, count); });
  problem->launches([=, &in, &found](cudaStream_t stream) {
    auto* const place = reinterpret_cast<unsigned long long*>(found.data());
    clear<<<1, 1, 0, stream>>>(place);
    if (count == 0) return;
    const std::int64_t most_blocks = std::int64_t{multiprocessors()} * 8;
    const std::int64_t blocks = std::min(blocks_over(count, comparing_block.x), most_blocks);
    largest<<<static_cast<unsigned>(blocks), comparing_block, 0, stream>>>(in.data(), count, place);
  });
  return problem;
}
}  // namespace

void weft::register_steps() {
  Variant made("largest", {});
  made.checked = {{0}, {1}, {31}, {257}, {5000}, {300'001}};
  made.measured = {{1 << 28}};
  made.make = [](const Shape& shape) { return make(shape[0]); };
  made.amounts = [](const Shape& shape) { return Amounts{.bytes = 4 * shape[0]}; };
  add(std::move(made));
}
