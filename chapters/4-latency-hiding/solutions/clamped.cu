// A thread whose elements would lie behind the end takes the last element instead, again and again: no
// check stands between its loads.
//
// Exercise: A thread scales eight elements, and each of its loads stands beside its own check, index <
// count. Let it ask for all eight at a time, at the end as well.
#include "problem.hpp"

namespace {
constexpr dim3 clamping_block{256};
constexpr int elements = 8;
constexpr std::uint32_t factor = 3;

// [kernel]
__global__ __launch_bounds__(clamping_block.x, 1) void scale_clamped(const std::uint32_t* __restrict__ in,
                                                                     std::uint32_t* __restrict__ out,
                                                                     std::int64_t count) {
  constexpr std::int64_t apart = clamping_block.x;
  const std::int64_t first = blockIdx.x * apart * elements + threadIdx.x;
  std::uint32_t found[elements];
#pragma unroll
  for (int i = 0; i < elements; ++i) found[i] = in[min(first + apart * i, count - 1)];
#pragma unroll
  for (int i = 0; i < elements; ++i) out[min(first + apart * i, count - 1)] = factor * found[i];
}
// [kernel]

Owned<Problem> make(std::int64_t count) {
  auto problem = make_owned<ArrayProblem>();
  auto& in = problem->input<std::uint32_t>("in", {count}, word);
  auto& out = problem->output<std::uint32_t>(
      "out", {count}, [](std::uint64_t seed, std::int64_t index) { return factor * word(seed, index); });
  problem->launches([=, &in, &out](cudaStream_t stream) {
    if (count == 0) return;
    const std::int64_t blocks = blocks_over(count, std::int64_t{clamping_block.x} * elements);
    scale_clamped<<<static_cast<unsigned>(blocks), clamping_block, 0, stream>>>(in.data(), out.data(), count);
  });
  return problem;
}
}  // namespace

void weft::register_steps() {
  Variant made("clamped", {});
  made.checked = {{0}, {1}, {255}, {256}, {2047}, {2049}, {5000}};
  made.measured = {{1 << 28}};
  made.make = [](const Shape& shape) { return make(shape[0]); };
  made.amounts = [](const Shape& shape) { return Amounts{.bytes = 8 * shape[0]}; };
  add(std::move(made));
}
