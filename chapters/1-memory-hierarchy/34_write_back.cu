// Threads overwrite an array once or several times: how much of it reaches the DRAM while they run?
#include "problem.hpp"

namespace {
/// Each word becomes the sum of its own number and the last turn's.
__global__ __launch_bounds__(full_block.x, blocks_of_multiprocessor) void write(uint4* words,
                                                                                std::int64_t count,
                                                                                int turns) {
  for (int turn = 0; turn < turns; ++turn) {
    for (std::int64_t index = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; index < count;
         index += std::int64_t{gridDim.x} * blockDim.x) {
      const auto first = static_cast<unsigned>(4 * index + turn);
      words[index] = {first, first + 1, first + 2, first + 3};
    }
  }
}

/// @param words a multiple of four
Owned<Problem> make(std::int64_t words, int turns) {
  auto problem = make_owned<ArrayProblem>();
  auto& out = problem->output<std::uint32_t>(
      "words", {words}, [=](auto, auto index) { return static_cast<std::uint32_t>(index + turns - 1); });
  problem->launches([=, &out](cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>(multiprocessors() * blocks_of_multiprocessor);
    write<<<blocks, full_block, 0, stream>>>(reinterpret_cast<uint4*>(out.data()), words / 4, turns);
  });
  return problem;
}
}  // namespace

void weft::register_steps() {
  constexpr std::int64_t mib = (1 << 20) / 4;
  for (const Setting& setting : Axes().with("turns", {1, 4}).settings()) {
    const int turns = setting.number();
    Variant made("write-back", setting);
    made.checked = {{0}, {4}, {mib}};
    for (const std::int64_t size : {8, 16, 24, 28, 32, 40, 48, 64, 128, 256})
      made.measured.push_back({size * mib});
    made.counted = {{mib}};
    made.curve = true;
    made.l2 = L2::kept;
    made.make = [=](const Shape& shape) { return make(shape[0], turns); };
    made.amounts = [=](const Shape& shape) { return Amounts{.bytes = 4 * shape[0] * turns}; };
    made.predict = [=](const Shape& shape) {
      return model::Prediction{}.global_store(shape[0] / 4 / model::warp_size * turns, 16,
                                              [](int lane) { return lane; });
    };
    add(std::move(made));
  }
}
