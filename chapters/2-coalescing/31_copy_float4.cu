// A copy with one float4 a thread, the ceiling that a kernel of ours sets.
#include "problem.hpp"

namespace {
constexpr dim3 block{256};
constexpr int width = 4;  // elements of a float4

// [kernel]
__global__ void copy_float4(const float* __restrict__ a, float* __restrict__ c, std::int64_t count) {
  const std::int64_t whole = count / width;
  const std::int64_t index = thread_index();
  if (index < whole) {
    reinterpret_cast<float4*>(c)[index] = reinterpret_cast<const float4*>(a)[index];
  } else if (index < whole + count % width) {  // the last one, two or three elements
    const std::int64_t last = index + whole * (width - 1);
    c[last] = a[last];
  }
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Vectors v) {
  const dim3 grid = grid_for(v.count / width + v.count % width, block);
  copy_float4<<<grid, block, 0, stream>>>(v.a, v.c, v.count);
}
// [launch]

model::Prediction predict(std::int64_t count) {
  const std::int64_t warps = count / width / model::warp_size;
  return model::Prediction{}
      .global_load(warps, 16, [](int lane) { return lane; })
      .global_store(warps, 16, [](int lane) { return lane; });
}
}  // namespace

// [step]
void weft::register_steps() {
  add_vectors("copy-float4", block, launch, predict, {.kind = Kind::ceiling, .work = Work::copy});
}
// [step]
