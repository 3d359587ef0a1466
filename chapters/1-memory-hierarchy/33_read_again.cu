// All multiprocessors read an array several times past the L1: after the first time the DRAM gives only what
// the L2 has not kept.
#include "problem.hpp"

namespace {
constexpr int turns = 4;

// [kernel]
/// @param shift in each turn a block reads what block (its own number + shift) has read in the turn before
/// @param sums takes the sum of all words that a thread reads
__global__ __launch_bounds__(full_block.x,
                             blocks_of_multiprocessor) void read(const uint4* words, std::int64_t count,
                                                                 unsigned shift, std::uint32_t* sums) {
  std::uint32_t sum = 0;
  for (unsigned turn = 0; turn < turns; ++turn) {
    const unsigned place = (blockIdx.x + turn * shift) % gridDim.x;
    for (std::int64_t index = std::int64_t{place} * blockDim.x + threadIdx.x; index < count;
         index += std::int64_t{gridDim.x} * blockDim.x) {
      const uint4 found = __ldcg(words + index);
      sum += found.x + found.y + found.z + found.w;
    }
  }
  sums[std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x] = sum;
}
// [kernel]

std::uint32_t word(std::uint64_t seed, std::int64_t index) {
  return static_cast<std::uint32_t>(index * 5 + static_cast<std::int64_t>(seed));
}

/// What a thread reads of so many vectors.
std::uint32_t sum_of_thread(std::uint64_t seed, std::int64_t thread, std::int64_t count, int shift) {
  const std::int64_t threads = threads_of_card();
  std::uint32_t sum = 0;
  for (int turn = 0; turn < turns; ++turn) {
    // NOLINTNEXTLINE(bugprone-implicit-widening-of-multiplication-result)
    for (std::int64_t index = (thread + turn * shift * full_block.x) % threads; index < count;
         index += threads) {
      for (int i = 0; i < 4; ++i) sum += word(seed, 4 * index + i);
    }
  }
  return sum;
}

/// @param words a multiple of four
Owned<Problem> make(std::int64_t words, int shift) {
  auto problem = make_owned<ArrayProblem>();
  const auto& in = problem->input<std::uint32_t>("words", {words}, word);
  auto& sums = problem->output<std::uint32_t>("sums", {threads_of_card()}, [=](auto seed, auto thread) {
    return sum_of_thread(seed, thread, words / 4, shift);
  });
  problem->launches([=, &in, &sums](cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>(multiprocessors() * blocks_of_multiprocessor);
    read<<<blocks, full_block, 0, stream>>>(reinterpret_cast<const uint4*>(in.data()), words / 4,
                                            static_cast<unsigned>(shift), sums.data());
  });
  return problem;
}
}  // namespace

void weft::register_steps() {
  constexpr std::int64_t mib = (1 << 20) / 4;
  for (const Setting& setting : Axes().with("shift", {0, 37}).settings()) {
    const int shift = setting.number();
    Variant made("read-again", setting);
    made.checked = {{0}, {4}, {mib}};
    for (const std::int64_t size : {16, 24, 28, 32, 36, 40, 48, 56, 64, 96}) {
      made.measured.push_back({size * mib});
    }
    made.counted = {{mib}};
    made.curve = true;
    made.make = [=](const Shape& shape) { return make(shape[0], shift); };
    made.amounts = [](const Shape& shape) { return Amounts{.bytes = 4 * shape[0] * turns}; };
    made.predict = [](const Shape& shape) {
      const auto own = [](int lane) { return lane; };
      return model::Prediction{}
          .global_load(shape[0] / 4 / model::warp_size * turns, 16, own)
          .global_store(threads_of_card() / model::warp_size, 4, own);
    };
    add(std::move(made));
  }
}
