// A multiprocessor has 128 KiB on their way, and blocks follow one another in the order of their addresses:
// how many bytes does the DRAM give while it is only read?
#include "problem.hpp"

namespace {
constexpr int loads = 8;
constexpr dim3 block{1024};
constexpr std::int64_t words_of_request = std::int64_t{model::warp_size} * 4;
constexpr std::int64_t warps_of_block = block.x / model::warp_size;

// [kernel]
/// @param sums takes the sum of all words that a warp reads
__global__ __launch_bounds__(block.x, 1) void read(const uint4* __restrict__ words,
                                                   std::uint32_t* __restrict__ sums) {
  const std::int64_t first = std::int64_t{blockIdx.x} * block.x * loads + threadIdx.x;
  uint4 found[loads];
#pragma unroll
  for (int i = 0; i < loads; ++i) found[i] = words[first + std::int64_t{block.x} * i];
  std::uint32_t sum = 0;
#pragma unroll
  for (const uint4 one : found) sum += one.x + one.y + one.z + one.w;
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(~0U, sum, apart);
  const std::int64_t thread = std::int64_t{blockIdx.x} * block.x + threadIdx.x;
  if (thread % 32 == 0) sums[thread / 32] = sum;
}
// [kernel]

std::uint32_t word(std::uint64_t seed, std::int64_t index) {
  return static_cast<std::uint32_t>(index * 5 + static_cast<std::int64_t>(seed));
}

/// What a warp reads: the same place of each part of its block's words.
std::uint32_t sum_of_warp(std::uint64_t seed, std::int64_t warp) {
  std::uint32_t sum = 0;
  for (int i = 0; i < loads; ++i) {
    const std::int64_t request = (warp / warps_of_block * loads + i) * warps_of_block + warp % warps_of_block;
    for (std::int64_t j = 0; j < words_of_request; ++j) sum += word(seed, request * words_of_request + j);
  }
  return sum;
}

/// @param words a multiple of what a block loads
Owned<Problem> make(std::int64_t words) {
  const std::int64_t warps = words / (words_of_request * loads);
  auto problem = make_owned<ArrayProblem>();
  auto& in = problem->input<std::uint32_t>("words", {words}, word);
  auto& sums = problem->output<std::uint32_t>("sums", {warps}, sum_of_warp);
  problem->launches([=, &in, &sums](cudaStream_t stream) {
    if (words == 0) return;
    const auto blocks = static_cast<unsigned>(warps / warps_of_block);
    read<<<blocks, block, 0, stream>>>(reinterpret_cast<const uint4*>(in.data()), sums.data());
  });
  return problem;
}

model::Prediction predict(std::int64_t words) {
  return model::Prediction{}
      .global_load(words / words_of_request, 16, [](int lane) { return lane; })
      .global_store(words / (words_of_request * loads), 4,
                    [](int lane) { return lane == 0 ? model::Element(0) : model::Element(); });
}
}  // namespace

void weft::register_steps() {
  Variant made = roof("dram-read", std::int64_t{1} << 31, std::int64_t{1} << 20);
  made.make = [](const Shape& shape) { return make(shape[0]); };
  made.amounts = [](const Shape& shape) { return Amounts{.bytes = 4 * shape[0]}; };
  made.predict = [](const Shape& shape) { return predict(shape[0]); };
  add(std::move(made));
}
