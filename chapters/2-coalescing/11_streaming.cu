// The float4 add, which asks the L2 to give up last what it loads.
#include "kernel/evict_last.hpp"
#include "problem.hpp"

namespace {
const List<dim3> blocks{{256}, {128}, {512}};
constexpr int width = 4;  // elements of a float4

// [kernel]
__global__ void add_streaming(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                              std::int64_t count) {
  const L2Policy keep = evict_last();
  const std::int64_t whole = count / width;
  const std::int64_t index = thread_index();
  if (index < whole) {
    const float4 x = load_evict_last(&reinterpret_cast<const float4*>(a)[index], keep);
    const float4 y = load_evict_last(&reinterpret_cast<const float4*>(b)[index], keep);
    reinterpret_cast<float4*>(c)[index] = {x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w};
  } else if (index < whole + count % width) {  // the last one, two or three elements
    const std::int64_t last = index + whole * (width - 1);
    c[last] = a[last] + b[last];
  }
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Vectors v, dim3 block) {
  require_aligned(v, sizeof(float4));
  const dim3 grid = grid_for(v.count / width + v.count % width, block);
  add_streaming<<<grid, block, 0, stream>>>(v.a, v.b, v.c, v.count);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t count) {
  const std::int64_t warps = count / width / model::warp_size;
  return model::Prediction{}
      .global_load(2 * warps, 16, [](int lane) { return lane; })
      .global_store(warps, 16, [](int lane) { return lane; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() { add_vectors("streaming", blocks, launch, predict); }
// [step]
