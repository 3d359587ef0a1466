// The copy of nvbandwidth that multiprocessors make, written anew: a block of each of them strides over all,
// and each of its threads has twelve loads of 16 bytes on their way.
#include "problem.hpp"

namespace {
constexpr dim3 block{512};
constexpr int together = 12;

__global__ void copy(const uint4* in, uint4* out, std::int64_t count) {
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  std::int64_t index = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; index + (together - 1) * threads < count; index += together * threads) {
    uint4 moved[together];
#pragma unroll
    for (int i = 0; i < together; ++i) moved[i] = in[index + i * threads];
#pragma unroll
    for (int i = 0; i < together; ++i) out[index + i * threads] = moved[i];
  }
  for (; index < count; index += threads) out[index] = in[index];
}

Owned<Problem> make(std::int64_t mebibytes) {
  const std::int64_t words = (mebibytes << 18) / 2;
  const auto word = [](std::uint64_t seed, std::int64_t index) {
    return static_cast<std::uint32_t>(index * 5 + static_cast<std::int64_t>(seed));
  };
  auto problem = make_owned<ArrayProblem>();
  auto& in = problem->input<std::uint32_t>("in", {words}, word);
  auto& out = problem->output<std::uint32_t>("out", {words}, word);
  problem->launches([=, &in, &out](cudaStream_t stream) {
    copy<<<multiprocessors(), block, 0, stream>>>(reinterpret_cast<const uint4*>(in.data()),
                                                  reinterpret_cast<uint4*>(out.data()), words / 4);
  });
  return problem;
}
}  // namespace

void weft::register_steps() {
  Variant made("nvbandwidth-copy", {});
  made.kind = Kind::peer;
  made.checked = {{0}, {1}, {7}, {32}};
  made.measured = {{2048}};
  made.make = [](const Shape& shape) { return make(shape[0]); };
  made.amounts = [](const Shape& shape) { return Amounts{.bytes = shape[0] << 20}; };
  add(std::move(made));
}
