// Every thread stores 16 bytes, and reads nothing: what does the DRAM take while it is only written?
#include "problem.hpp"

namespace {
constexpr dim3 block{256};

// [kernel]
/// Each word becomes its own number.
__global__ void write(uint4* words, std::int64_t count) {
  const std::int64_t index = std::int64_t{blockIdx.x} * block.x + threadIdx.x;
  const auto first = static_cast<unsigned>(4 * index);
  if (index < count) words[index] = {first, first + 1, first + 2, first + 3};
}
// [kernel]

/// @param words a multiple of four
Owned<Problem> make(std::int64_t words) {
  auto problem = make_owned<ArrayProblem>();
  const auto number = [](std::uint64_t, std::int64_t index) { return static_cast<std::uint32_t>(index); };
  auto& out = problem->output<std::uint32_t>("words", {words}, number);
  problem->launches([=, &out](cudaStream_t stream) {
    if (words == 0) return;
    const std::int64_t count = words / 4;
    const auto blocks = static_cast<unsigned>(blocks_over(count, block.x));
    write<<<blocks, block, 0, stream>>>(reinterpret_cast<uint4*>(out.data()), count);
  });
  return problem;
}

model::Prediction predict(std::int64_t words) {
  return model::Prediction{}.global_store(words / 4 / model::warp_size, 16, [](int lane) { return lane; });
}
}  // namespace

void weft::register_steps() {
  Variant made = roof("dram-write", std::int64_t{1} << 31, std::int64_t{1} << 20);
  made.make = [](const Shape& shape) { return make(shape[0]); };
  made.amounts = [](const Shape& shape) { return Amounts{.bytes = 4 * shape[0]}; };
  made.predict = [](const Shape& shape) { return predict(shape[0]); };
  add(std::move(made));
}
