// The scalar product of two vectors: half as many loads of each give as many bytes in flight as those of the
// sum.
//
// Exercise: The sum of floats has four vectors of 16 bytes in flight for each of 1024 threads. How many of
// each vector does a scalar product need for as many bytes?
#include <algorithm>

#include "problem.hpp"

namespace {
constexpr dim3 multiplying_block{256};
constexpr int warps_of_block = multiplying_block.x / model::warp_size;
constexpr int words_of_load = 4;

// [loads]
/// Vectors of 16 bytes that a thread asks for of each of so many inputs, such that all its loads are `bytes`.
constexpr int loads_of_each(int bytes, int inputs) { return bytes / (16 * inputs); }

constexpr int loads = loads_of_each(4 * 16, 2);
static_assert(loads == 2);
// [loads]

// [kernel]
/// @param sums takes the sum of a warp's products
__global__ __launch_bounds__(multiplying_block.x) void dot_product(const uint4* __restrict__ a,
                                                                   const uint4* __restrict__ b,
                                                                   std::uint32_t* __restrict__ sums,
                                                                   std::int64_t pieces) {
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::int64_t piece = blockIdx.x; piece < pieces; piece += gridDim.x) {
    const std::int64_t first = piece * multiplying_block.x * loads + threadIdx.x;
    uint4 x[loads];
    uint4 y[loads];
#pragma unroll
    for (int i = 0; i < loads; ++i) {
      x[i] = a[first + std::int64_t{multiplying_block.x} * i];
      y[i] = b[first + std::int64_t{multiplying_block.x} * i];
    }
#pragma unroll
    for (int i = 0; i < loads; ++i)
      sum += x[i].x * y[i].x + x[i].y * y[i].y + x[i].z * y[i].z + x[i].w * y[i].w;
  }
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(~0U, sum, apart);
  if (threadIdx.x % 32 == 0) sums[blockIdx.x * warps_of_block + threadIdx.x / 32] = sum;
}
// [kernel]

constexpr std::int64_t words_of_piece = std::int64_t{multiplying_block.x} * loads * words_of_load;

std::uint32_t other_word(std::uint64_t seed, std::int64_t index) { return word(seed + 7, index); }

std::uint32_t sum_of_warp(std::uint64_t seed, std::int64_t warp, std::int64_t pieces, std::int64_t blocks) {
  constexpr std::int64_t words = std::int64_t{model::warp_size} * words_of_load;
  std::uint32_t sum = 0;
  for (std::int64_t piece = warp / warps_of_block; piece < pieces; piece += blocks) {
    for (int i = 0; i < loads; ++i) {
      const std::int64_t first = ((piece * loads + i) * warps_of_block + warp % warps_of_block) * words;
      for (std::int64_t at = first; at < first + words; ++at) sum += word(seed, at) * other_word(seed, at);
    }
  }
  return sum;
}

std::int64_t blocks_for(std::int64_t pieces) {
  constexpr std::int64_t blocks_of_multiprocessor = 4;
  return std::min(pieces, multiprocessors() * blocks_of_multiprocessor);
}

Owned<Problem> make(std::int64_t pieces) {
  const std::int64_t blocks = blocks_for(pieces);
  auto problem = make_owned<ArrayProblem>();
  auto& a = problem->input<std::uint32_t>("a", {pieces * words_of_piece}, word);
  auto& b = problem->input<std::uint32_t>("b", {pieces * words_of_piece}, other_word);
  auto& sums = problem->output<std::uint32_t>(
      "sums", {blocks * warps_of_block},
      [=](auto seed, std::int64_t warp) { return sum_of_warp(seed, warp, pieces, blocks); });
  problem->launches([=, &a, &b, &sums](cudaStream_t stream) {
    if (pieces == 0) return;
    dot_product<<<static_cast<unsigned>(blocks), multiplying_block, 0, stream>>>(
        reinterpret_cast<const uint4*>(a.data()), reinterpret_cast<const uint4*>(b.data()), sums.data(),
        pieces);
  });
  return problem;
}

model::Prediction predict(std::int64_t pieces) {
  return model::Prediction{}
      .global_load(2 * pieces * loads * warps_of_block, 16, own_lane)
      .global_store(blocks_for(pieces) * warps_of_block, 4, first_lane);
}
}  // namespace

void weft::register_steps() {
  Variant made("dot-product", {});
  made.checked = {{0}, {1}, {40}};
  made.measured = {{1 << 15}};
  made.counted = {{64}};
  made.make = [](const Shape& shape) { return make(shape[0]); };
  made.amounts = [](const Shape& shape) { return Amounts{.bytes = 8 * shape[0] * words_of_piece}; };
  made.predict = [](const Shape& shape) { return predict(shape[0]); };
  add(std::move(made));
}
