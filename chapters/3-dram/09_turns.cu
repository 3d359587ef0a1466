// Some blocks read and others write, in turns of some length: what does it cost that the DRAM changes from
// reading to writing and back, and how often may it?
#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <vector>

#include "check/arrays.hpp"
#include "large_memory.hpp"
#include "model/access.hpp"
#include "step/axes.hpp"
#include "step/step.hpp"

using namespace weft;

namespace {
constexpr dim3 block{256};
constexpr int together = 8;
constexpr std::int64_t words_of_request = std::int64_t{model::warp_size} * 4;
constexpr std::int64_t warps_of_block = block.x / model::warp_size;
constexpr std::int64_t words_of_tile = together * warps_of_block * words_of_request;
constexpr std::int64_t tiles_of_mebibyte = mebibyte / (4 * words_of_tile);

// [turns]
/// Of each `period` tiles the first are read, and the last `written` are written.
struct Turns {
  std::int64_t period;
  std::int64_t written;

  [[nodiscard]] __host__ __device__ bool writes(std::int64_t tile) const {
    return tile % period >= period - written;
  }

  /// How many of the tiles before this one are written.
  [[nodiscard]] __host__ __device__ std::int64_t written_before(std::int64_t tile) const {
    const std::int64_t in_turn = tile % period - (period - written);
    return tile / period * written + (in_turn > 0 ? in_turn : 0);
  }

  /// The place of a tile among those that are read, or among those that are written.
  [[nodiscard]] __host__ __device__ std::int64_t place(std::int64_t tile) const {
    return writes(tile) ? written_before(tile) : tile - written_before(tile);
  }
};
// [turns]

// [kernel]
/// If blocks begin in the order of their numbers, those on the card at a time mostly do the same.
/// @param sums takes the sum of all words that a warp reads
__global__ void take_turns(const uint4* __restrict__ in, uint4* __restrict__ out,
                           std::uint32_t* __restrict__ sums, Turns turns) {
  const std::int64_t tile = turns.place(blockIdx.x);
  const std::int64_t first = tile * words_of_tile / 4 + threadIdx.x;
  if (turns.writes(blockIdx.x)) {
#pragma unroll
    for (int i = 0; i < together; ++i) {
      const std::int64_t index = first + std::int64_t{block.x} * i;
      const auto word = static_cast<unsigned>(4 * index);
      out[index] = {word, word + 1, word + 2, word + 3};
    }
    return;
  }
  uint4 found[together];
#pragma unroll
  for (int i = 0; i < together; ++i) found[i] = __ldcg(&in[first + std::int64_t{block.x} * i]);
  std::uint32_t sum = 0;
#pragma unroll
  for (const uint4 one : found) sum += one.x + one.y + one.z + one.w;
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(~0U, sum, apart);
  if (threadIdx.x % model::warp_size == 0) sums[tile * warps_of_block + threadIdx.x / model::warp_size] = sum;
}
// [kernel]

std::uint32_t word(std::uint64_t seed, std::int64_t index) {
  return static_cast<std::uint32_t>(index * 5 + static_cast<std::int64_t>(seed));
}

/// The words of a request are an arithmetic series.
std::uint32_t sum_of_warp(std::uint64_t seed, std::int64_t warp) {
  constexpr std::int64_t steps = words_of_request * (words_of_request - 1) / 2;
  std::uint32_t sum = 0;
  for (int i = 0; i < together; ++i) {
    const std::int64_t request =
        (warp / warps_of_block * together + i) * warps_of_block + warp % warps_of_block;
    sum += static_cast<std::uint32_t>(words_of_request * word(seed, request * words_of_request) + 5 * steps);
  }
  return sum;
}

Owned<Problem> make(std::int64_t mebibytes, const Turns& turns) {
  const std::int64_t tiles = mebibytes * tiles_of_mebibyte;
  const std::int64_t written = turns.written_before(tiles);
  auto problem = make_owned<ArrayProblem>();
  auto& in = problem->input<std::uint32_t>("in", {(tiles - written) * words_of_tile}, word);
  auto& out = problem->output<std::uint32_t>(
      "out", {written * words_of_tile}, [](auto, auto index) { return static_cast<std::uint32_t>(index); });
  auto& sums = problem->output<std::uint32_t>("sums", {(tiles - written) * warps_of_block},
                                              weighty<std::uint32_t>(sum_of_warp));
  problem->launches([=, &in, &out, &sums](cudaStream_t stream) {
    take_turns<<<static_cast<unsigned>(tiles), block, 0, stream>>>(
        reinterpret_cast<const uint4*>(in.data()), reinterpret_cast<uint4*>(out.data()), sums.data(), turns);
  });
  return problem;
}

model::Prediction predict(std::int64_t mebibytes, const Turns& turns) {
  const auto own = [](int lane) { return lane; };
  const std::int64_t tiles = mebibytes * tiles_of_mebibyte;
  const std::int64_t written = turns.written_before(tiles);
  return model::Prediction{}
      .global_load((tiles - written) * warps_of_block * together, 16, own)
      .global_store(written * warps_of_block * together, 16, own)
      .global_store((tiles - written) * warps_of_block, 4,
                    [](int lane) { return lane == 0 ? model::Element(0) : model::Element(); });
}
}  // namespace

void weft::register_steps() {
  constexpr int smallest = 1;  // MiB that are read and written until it begins again
  const Numbers shares{50, 0, 12, 25, 38, 62, 75, 88, 100};
  const Axes axes = Axes().with("writes", shares).with("period", {smallest, 4, 16, 64, 128, 256, 512, 1024});
  for (const Setting& setting : axes.settings()) {
    const int share = setting.number("writes");
    const std::int64_t period = setting.number("period") * tiles_of_mebibyte;
    if (share != 50 && setting.number("period") != smallest) continue;
    const Turns turns{period, (period * share + 50) / 100};
    Variant made("turns", setting);
    made.curve = true;
    made.checked = {{1}, {3}};
    made.measured = {{2048}};
    made.counted = {{4}};
    made.make = [=](const Shape& shape) { return make(shape[0], turns); };
    made.amounts = [](const Shape& shape) { return Amounts{.bytes = shape[0] * mebibyte}; };
    made.predict = [=](const Shape& shape) { return predict(shape[0], turns); };
    add(std::move(made));
  }
}

TEST_CASE("every tile has a place of its own among those that are read, or among those that are written") {
  for (const Turns& turns : {Turns{32, 16}, Turns{32, 4}, Turns{32, 0}, Turns{32, 32}, Turns{7, 3}}) {
    std::int64_t read = 0;
    std::int64_t written = 0;
    for (std::int64_t tile = 0; tile < 100; ++tile) {
      CHECK(turns.place(tile) == (turns.writes(tile) ? written++ : read++));
    }
    CHECK(turns.written_before(100) == written);
  }
}

TEST_CASE("values that several threads work out are those of one, from the first asked for on") {
  constexpr std::int64_t first = 1000, count = 5000;
  std::vector<std::uint32_t> values(count);
  weighty<std::uint32_t>(sum_of_warp)(7, first, first + count, values.data());
  for (std::int64_t i = 0; i < count; i += 7) {
    CHECK(values[static_cast<std::size_t>(i)] == sum_of_warp(7, first + i));
  }
}
