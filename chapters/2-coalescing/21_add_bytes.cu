// One thread adds one byte: a warp asks for one sector at a time.
#include "problem.hpp"

namespace {
constexpr dim3 block{256};

// [kernel]
__global__ void add_bytes(const std::uint8_t* __restrict__ a, const std::uint8_t* __restrict__ b,
                          std::uint8_t* __restrict__ c, std::int64_t count) {
  const std::int64_t index = thread_index();
  if (index < count) c[index] = static_cast<std::uint8_t>(a[index] + b[index]);
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* c,
            std::int64_t count) {
  add_bytes<<<grid_for(count, block), block, 0, stream>>>(a, b, c, count);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t count) {
  const std::int64_t warps = count / model::warp_size;
  return model::Prediction{}
      .global_load(2 * warps, 1, [](int lane) { return lane; })
      .global_store(warps, 1, [](int lane) { return lane; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() { add_narrow<std::uint8_t>("add-bytes", block, launch, predict); }
// [step]
