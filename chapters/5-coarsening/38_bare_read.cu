// The bytes are read as by the histogram, and nothing is counted: what a histogram could take at best.
#include "problem.hpp"

namespace {
constexpr int threads = 512;
constexpr int loads = 4;  // of a thread, 16 bytes each

// [kernel]
/// @param wanted 0, which the compiler does not know: nothing is found
__global__ __launch_bounds__(threads) void bare_read(const uint4* __restrict__ in, std::int64_t vectors,
                                                     std::uint32_t wanted, std::uint32_t* found) {
  const std::int64_t first = block_x() * threads * loads + threadIdx.x;
  uint4 vector[loads]{};
#pragma unroll
  for (int i = 0; i < loads; ++i) {
    if (first + std::int64_t{threads} * i < vectors)
      vector[i] = __ldcs(&in[first + std::int64_t{threads} * i]);
  }
  std::uint32_t all = 0;
#pragma unroll
  for (const uint4& one : vector) all |= one.x ^ one.y ^ one.z ^ one.w;
  if (wanted != 0 && all == wanted) *found = all;
}
// [kernel]

Owned<Problem> make(std::int64_t bytes) {
  auto problem = make_owned<ArrayProblem>();
  const auto value = [](std::uint64_t seed, std::int64_t index) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(index) * 0x9E3779B1U + seed);
  };
  auto& in = problem->input<std::uint32_t>("in", {bytes / 4}, value);
  auto& found =
      problem->output<std::uint32_t>("found", {1}, [](auto, auto) { return poison<std::uint32_t>(); });
  problem->launches([=, &in, &found](cudaStream_t stream) {
    const std::int64_t vectors = bytes / 16;
    const auto blocks = static_cast<unsigned>(blocks_over(vectors, std::int64_t{threads} * loads));
    if (blocks == 0) return;
    bare_read<<<blocks, threads, 0, stream>>>(reinterpret_cast<const uint4*>(in.data()), vectors, 0,
                                              found.data());
  });
  return problem;
}
}  // namespace

/// Whole vectors of 16 bytes.
void weft::register_steps() {
  Variant made("bare-read", {});
  made.kind = Kind::ceiling;
  made.checked = {{0}, {16}, {65'552}};
  made.measured = {{1 << 28}};
  made.counted = {{1 << 16}};
  made.make = [](const Shape& shape) { return make(shape[0]); };
  made.amounts = [](const Shape& shape) { return Amounts{.bytes = shape[0]}; };
  made.predict = [](const Shape& shape) {
    return model::Prediction{}.global_load(shape[0] / 16 / model::warp_size, 16, own_lane);
  };
  add(std::move(made));
}
