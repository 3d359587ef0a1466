// Runs of neighbouring bytes, each anywhere in a memory, are read or written: how much does the DRAM give as
// the runs grow from one sector to 16 KiB?
#include "gather.hpp"
#include "random_runs.hpp"

namespace {
// [write]
/// A thread writes eight times 16 bytes: each word becomes its own number.
__global__ void scatter(uint4* memory, RandomRuns place) {
  const std::int64_t first = std::int64_t{blockIdx.x} * gather_block.x * gather_together + threadIdx.x;
#pragma unroll
  for (int i = 0; i < gather_together; ++i) {
    const std::int64_t asked = (first + std::int64_t{gather_block.x} * i) * std::int64_t{sizeof(uint4)};
    const std::int64_t at = place(asked);
    const auto word = static_cast<unsigned>(at / 4);
    memory[at / std::int64_t{sizeof(uint4)}] = {word, word + 1, word + 2, word + 3};
  }
}
// [write]

/// All of the memory is written.
Owned<Problem> make_writes(std::int64_t bytes, std::int64_t run) {
  auto problem = make_owned<ArrayProblem>();
  auto& words = problem->output<std::uint32_t>(
      "memory", {bytes / 4}, [](auto, auto index) { return static_cast<std::uint32_t>(index); });
  problem->launches([=, &words](cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>(bytes / bytes_of_gather_block);
    scatter<<<blocks, gather_block, 0, stream>>>(reinterpret_cast<uint4*>(words.data()),
                                                 RandomRuns(bytes, run));
  });
  return problem;
}

Variant writing(Variant made, std::int64_t run) {
  made.checked = {{1, 1}, {8, 8}};
  made.counted = {{1, 1}};
  made.measured = {{2048, 2048}};
  made.make = [=](const Shape& shape) { return make_writes(shape[0] * mebibyte, run); };
  made.predict = [](const Shape& shape) {
    return model::Prediction{}.global_store(shape[0] * mebibyte / bytes_of_request, sizeof(uint4),
                                            [](int lane) { return lane; });
  };
  return made;
}
}  // namespace

void weft::register_steps() {
  const Numbers lengths{32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};
  for (const Setting& setting : Axes().with("bytes", lengths).with("writes", {0, 1}).settings()) {
    const std::int64_t run = setting.number("bytes");
    Variant made = gathering(
        "random-runs", setting, [=](std::int64_t bytes) { return RandomRuns(bytes, run); },
        [](const Shape& shape) { return shape[1] * mebibyte; }, [](int lane) { return lane; });
    made.measured = {{1024, 1024}, {8192, 1024}, {65536, 1024}};
    if (run == 32) made.measured.append({{16, 1024}, {65536, 128}, {65536, 16}});
    add(setting.number("writes") == 1 ? writing(made, run) : made);
  }
}
