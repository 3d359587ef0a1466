// One thread adds two bytes: a warp asks for two sectors at a time.
#include "problem.hpp"

namespace {
constexpr dim3 block{256};

// [kernel]
__global__ void add_shorts(const std::uint16_t* __restrict__ a, const std::uint16_t* __restrict__ b,
                           std::uint16_t* __restrict__ c, std::int64_t count) {
  const std::int64_t index = thread_index();
  if (index < count) c[index] = static_cast<std::uint16_t>(a[index] + b[index]);
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, const std::uint16_t* a, const std::uint16_t* b, std::uint16_t* c,
            std::int64_t count) {
  add_shorts<<<grid_for(count, block), block, 0, stream>>>(a, b, c, count);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t count) {
  const std::int64_t warps = count / model::warp_size;
  return model::Prediction{}
      .global_load(2 * warps, 2, [](int lane) { return lane; })
      .global_store(warps, 2, [](int lane) { return lane; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() { add_narrow<std::uint16_t>("add-shorts", block, launch, predict); }
// [step]
