// Each thread adds eight bytes at once: half the requests for the same sectors.
#include "problem.hpp"

namespace {
constexpr dim3 block{256};
constexpr int width = 2;  // elements of a float2

// [kernel]
__global__ void add_float2(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                           std::int64_t count) {
  const std::int64_t whole = count / width;
  const std::int64_t index = thread_index();
  if (index < whole) {
    const float2 x = reinterpret_cast<const float2*>(a)[index];
    const float2 y = reinterpret_cast<const float2*>(b)[index];
    reinterpret_cast<float2*>(c)[index] = {x.x + y.x, x.y + y.y};
  } else if (index < whole + count % width) {  // the last element, if the count is odd
    const std::int64_t last = index + whole * (width - 1);
    c[last] = a[last] + b[last];
  }
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Vectors v) {
  require_aligned(v, sizeof(float2));
  const dim3 grid = grid_for(v.count / width + v.count % width, block);
  add_float2<<<grid, block, 0, stream>>>(v.a, v.b, v.c, v.count);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t count) {
  const std::int64_t warps = count / width / model::warp_size;
  return model::Prediction{}
      .global_load(2 * warps, 8, [](int lane) { return lane; })
      .global_store(warps, 8, [](int lane) { return lane; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() { add_vectors("add-float2", block, launch, predict); }
// [step]
