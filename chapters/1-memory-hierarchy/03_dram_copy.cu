// Every thread copies 16 bytes, and the L2 is asked to keep what is read longer than what is written: what
// does the DRAM move while as much is read as written?
#include "kernel/evict_last.hpp"
#include "problem.hpp"

namespace {
constexpr dim3 block{256};

// [kernel]
__global__ void copy(const float4* __restrict__ in, float4* __restrict__ out, std::int64_t count) {
  const std::int64_t index = std::int64_t{blockIdx.x} * block.x + threadIdx.x;
  if (index < count) __stcs(&out[index], load_evict_last(&in[index], evict_last()));
}
// [kernel]

/// @param words a multiple of four
Owned<Problem> make(std::int64_t words) {
  auto problem = make_owned<ArrayProblem>();
  const auto word = [](std::uint64_t seed, std::int64_t index) {
    return static_cast<std::uint32_t>(index * 5 + static_cast<std::int64_t>(seed));
  };
  auto& in = problem->input<std::uint32_t>("in", {words}, word);
  auto& out = problem->output<std::uint32_t>("out", {words}, word);
  problem->launches([=, &in, &out](cudaStream_t stream) {
    if (words == 0) return;
    const std::int64_t count = words / 4;
    const auto blocks = static_cast<unsigned>(blocks_over(count, block.x));
    copy<<<blocks, block, 0, stream>>>(reinterpret_cast<const float4*>(in.data()),
                                       reinterpret_cast<float4*>(out.data()), count);
  });
  return problem;
}

model::Prediction predict(std::int64_t words) {
  const std::int64_t requests = words / 4 / model::warp_size;
  const auto own = [](int lane) { return lane; };
  return model::Prediction{}.global_load(requests, 16, own).global_store(requests, 16, own);
}
}  // namespace

void weft::register_steps() {
  Variant made = roof("dram-copy", std::int64_t{1} << 31, std::int64_t{1} << 20);
  made.checked.push_back({1028});
  made.make = [](const Shape& shape) { return make(shape[0]); };
  made.amounts = [](const Shape& shape) { return Amounts{.bytes = 8 * shape[0]}; };
  made.predict = [](const Shape& shape) { return predict(shape[0]); };
  add(std::move(made));
}
