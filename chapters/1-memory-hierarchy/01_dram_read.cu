// Blocks that stay until all is read have 128 KiB of each multiprocessor on their way: what the DRAM gives
// while it is read alone.
#include "problem.hpp"

namespace {
constexpr int loads = 4;
constexpr dim3 block{512};
constexpr int resident_blocks = 4;
constexpr std::int64_t words_of_block = std::int64_t{block.x} * loads * 4;  ///< that it loads at a time

// [kernel]
/// @param sums takes the sum of all words that a warp reads
/// @param count of vectors of four words, a multiple of what a block loads at a time
__global__ void read(const uint4* __restrict__ words, std::uint32_t* __restrict__ sums, std::int64_t count) {
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::int64_t first = std::int64_t{blockIdx.x} * block.x * loads; first < count;
       first += std::int64_t{gridDim.x} * block.x * loads) {
    uint4 found[loads];
#pragma unroll
    for (int i = 0; i < loads; ++i) found[i] = words[first + std::int64_t{block.x} * i + threadIdx.x];
#pragma unroll
    for (const uint4 one : found) sum += one.x + one.y + one.z + one.w;
  }
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(~0U, sum, apart);
  const std::int64_t thread = std::int64_t{blockIdx.x} * block.x + threadIdx.x;
  if (thread % 32 == 0) sums[thread / 32] = sum;
}
// [kernel]

std::uint32_t word(std::uint64_t seed, std::int64_t index) {
  return static_cast<std::uint32_t>(index * 5 + static_cast<std::int64_t>(seed));
}

std::int64_t blocks_of_card() { return std::int64_t{multiprocessors()} * resident_blocks; }

std::int64_t warps_of_card() { return blocks_of_card() * block.x / model::warp_size; }

/// What a warp reads of `words`: in each turn of its block, the same place of what the block loads.
std::uint32_t sum_of_warp(std::uint64_t seed, std::int64_t warp, std::int64_t words, std::int64_t blocks) {
  constexpr std::int64_t words_of_request = std::int64_t{model::warp_size} * 4;
  const std::int64_t warps = block.x / model::warp_size;
  std::uint32_t sum = 0;
  for (std::int64_t first = warp / warps * words_of_block; first < words; first += blocks * words_of_block) {
    for (int i = 0; i < loads; ++i) {
      const std::int64_t request = first + (i * warps + warp % warps) * words_of_request;
      for (std::int64_t j = 0; j < words_of_request; ++j) sum += word(seed, request + j);
    }
  }
  return sum;
}

/// @param words a multiple of what a block loads at a time
Owned<Problem> make(std::int64_t words) {
  const std::int64_t blocks = blocks_of_card();
  auto problem = make_owned<ArrayProblem>();
  auto& in = problem->input<std::uint32_t>("words", {words}, word);
  auto& sums = problem->output<std::uint32_t>(
      "sums", {warps_of_card()},
      [=](std::uint64_t seed, std::int64_t warp) { return sum_of_warp(seed, warp, words, blocks); });
  problem->launches([=, &in, &sums](cudaStream_t stream) {
    read<<<static_cast<unsigned>(blocks), block, 0, stream>>>(reinterpret_cast<const uint4*>(in.data()),
                                                              sums.data(), words / 4);
  });
  return problem;
}

model::Prediction predict(std::int64_t words) {
  return model::Prediction{}
      .global_load(words / 4 / model::warp_size, 16, [](int lane) { return lane; })
      .global_store(warps_of_card(), 4,
                    [](int lane) { return lane == 0 ? model::Element(0) : model::Element(); });
}
}  // namespace

void weft::register_steps() {
  Variant made = roof("dram-read", std::int64_t{1} << 30, std::int64_t{1} << 20);
  made.make = [](const Shape& shape) { return make(shape[0]); };
  made.amounts = [](const Shape& shape) { return Amounts{.bytes = 4 * shape[0]}; };
  made.predict = [](const Shape& shape) { return predict(shape[0]); };
  add(std::move(made));
}
