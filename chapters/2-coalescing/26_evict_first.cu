// The float4 add with hints that say: read once, written once, keep nothing.
#include "problem.hpp"

namespace {
constexpr dim3 block{256};
constexpr int width = 4;  // elements of a float4

// [kernel]
__global__ void add_evict_first(const float* __restrict__ a, const float* __restrict__ b,
                                float* __restrict__ c, std::int64_t count) {
  const std::int64_t whole = count / width;
  const std::int64_t index = thread_index();
  if (index < whole) {
    const float4 x = __ldcs(&reinterpret_cast<const float4*>(a)[index]);
    const float4 y = __ldcs(&reinterpret_cast<const float4*>(b)[index]);
    __stcs(&reinterpret_cast<float4*>(c)[index], {x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w});
  } else if (index < whole + count % width) {  // the last one, two or three elements
    const std::int64_t last = index + whole * (width - 1);
    c[last] = a[last] + b[last];
  }
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Vectors v) {
  require_aligned(v, sizeof(float4));
  const dim3 grid = grid_for(v.count / width + v.count % width, block);
  add_evict_first<<<grid, block, 0, stream>>>(v.a, v.b, v.c, v.count);
}
// [launch]

model::Prediction predict(std::int64_t count) {
  const std::int64_t warps = count / width / model::warp_size;
  return model::Prediction{}
      .global_load(2 * warps, 16, [](int lane) { return lane; })
      .global_store(warps, 16, [](int lane) { return lane; });
}
}  // namespace

void weft::register_steps() { add_vectors("evict-first", block, launch, predict); }

// [instruction]
TEST_CASE("the hints stand in the instructions") {
  CHECK(ptx_count("add_evict_first", "ld.global.cs.v4.f32") == 2);
  CHECK(ptx_count("add_evict_first", "st.global.cs.v4.f32") == 1);
}
// [instruction]
