// The same words are read by blocks that come and go, or by fewer that take piece after piece: what does a
// change of blocks cost?
#include "kernel/limited.hpp"
#include "problem.hpp"

namespace {
constexpr dim3 reading_block{256};
constexpr int warps_of_block = reading_block.x / model::warp_size;
constexpr int loads = 4;  // of a thread for a piece
constexpr std::int64_t words_of_piece = std::int64_t{reading_block.x} * loads * 4;
constexpr int blocks_that_stay = 0;  // as many as the multiprocessors hold, whatever pieces they take

// [kernel]
/// @param sums takes the sum of all words that a warp reads
__global__ __launch_bounds__(reading_block.x, 1) void read_pieces(const uint4* __restrict__ in,
                                                                  std::uint32_t* __restrict__ sums,
                                                                  std::int64_t pieces) {
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::int64_t piece = blockIdx.x; piece < pieces; piece += gridDim.x) {
    const std::int64_t first = piece * reading_block.x * loads + threadIdx.x;
    uint4 found[loads];
#pragma unroll
    for (int i = 0; i < loads; ++i) found[i] = __ldcg(&in[first + std::int64_t{reading_block.x} * i]);
#pragma unroll
    for (const uint4 one : found) sum += one.x + one.y + one.z + one.w;
  }
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(~0U, sum, apart);
  const std::int64_t thread = std::int64_t{blockIdx.x} * reading_block.x + threadIdx.x;
  if (thread % 32 == 0) sums[thread / 32] = sum;
}
// [kernel]

std::int64_t blocks_of(std::int64_t pieces, const Setting& setting) {
  const int of_block = setting.number("pieces");
  const std::int64_t at_once = std::int64_t{multiprocessors()} * setting.number("resident");
  return of_block == blocks_that_stay ? min(pieces, at_once) : blocks_over(pieces, of_block);
}

std::uint32_t sum_of_warp(std::uint64_t seed, std::int64_t warp, std::int64_t pieces, std::int64_t blocks) {
  constexpr std::int64_t words = std::int64_t{model::warp_size} * 4;
  std::uint32_t sum = 0;
  for (std::int64_t piece = warp / warps_of_block; piece < pieces; piece += blocks) {
    for (int i = 0; i < loads; ++i) {
      const std::int64_t request = (piece * loads + i) * warps_of_block + warp % warps_of_block;
      sum += sum_of_words(seed, request * words, words);
    }
  }
  return sum;
}

Owned<Problem> make(std::int64_t pieces, const Setting& setting) {
  const std::int64_t blocks = blocks_of(pieces, setting);
  auto problem = make_owned<ArrayProblem>();
  auto& in = problem->input<std::uint32_t>("in", {pieces * words_of_piece}, word);
  auto& sums = problem->output<std::uint32_t>(
      "sums", {blocks * warps_of_block},
      [=](auto seed, std::int64_t warp) { return sum_of_warp(seed, warp, pieces, blocks); });
  problem->launches([=, &in, &sums](cudaStream_t stream) {
    if (pieces == 0) return;
    launch_limited(setting.number("resident"), stream, read_pieces, static_cast<unsigned>(blocks),
                   reading_block, reinterpret_cast<const uint4*>(in.data()), sums.data(), pieces);
  });
  return problem;
}
}  // namespace

/// The shape counts pieces.
void weft::register_steps() {
  const Axes axes =
      Axes().with("pieces", {1, 2, 4, 8, 16, 32, 64, blocks_that_stay}).with("resident", {8, 4, 2, 1});
  for (const Setting& setting : axes.settings()) {
    Variant made("turnover", setting);
    made.curve = true;
    made.checked = {{0}, {1}, {67}};
    made.measured = {{1 << 16}};
    made.counted = {{1 << 10}};
    made.make = [=](const Shape& shape) { return make(shape[0], setting); };
    made.amounts = [](const Shape& shape) { return Amounts{.bytes = 4 * shape[0] * words_of_piece}; };
    made.predict = [=](const Shape& shape) {
      return model::Prediction{}
          .global_load(shape[0] * loads * warps_of_block, 16, own_lane)
          .global_store(blocks_of(shape[0], setting) * warps_of_block, 4, first_lane);
    };
    add(std::move(made));
  }
}
