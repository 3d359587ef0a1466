// Several float4s a thread, all loads before the first store: fewer threads, each with more on its way.
#include "problem.hpp"

namespace {
constexpr dim3 block{256};
constexpr int width = 4;  // elements of a float4

// [kernel]
template <int fours>
__global__ void add_fours(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                          std::int64_t count) {
  const std::int64_t whole = count / width;
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x * fours + threadIdx.x;
  float4 x[fours];
  float4 y[fours];
#pragma unroll
  for (int i = 0; i < fours; ++i) {
    const unsigned beyond = i * blockDim.x;
    const std::int64_t index = first + beyond;
    if (index >= whole) continue;
    x[i] = reinterpret_cast<const float4*>(a)[index];
    y[i] = reinterpret_cast<const float4*>(b)[index];
  }
#pragma unroll
  for (int i = 0; i < fours; ++i) {
    const unsigned beyond = i * blockDim.x;
    const std::int64_t index = first + beyond;
    if (index < whole) {
      reinterpret_cast<float4*>(c)[index] = {x[i].x + y[i].x, x[i].y + y[i].y, x[i].z + y[i].z,
                                             x[i].w + y[i].w};
    } else if (index < whole + count % width) {  // the last one, two or three elements
      const std::int64_t last = index + whole * (width - 1);
      c[last] = a[last] + b[last];
    }
  }
}
// [kernel]

// [launch]
template <int fours>
void launch_fours(cudaStream_t stream, Vectors v) {
  const std::int64_t threads = blocks_over(v.count / width + v.count % width, fours);
  add_fours<fours><<<grid_for(threads, block), block, 0, stream>>>(v.a, v.b, v.c, v.count);
}

void launch(cudaStream_t stream, Vectors v, int fours) {
  require_aligned(v, sizeof(float4));
  if (fours == 2) launch_fours<2>(stream, v);
  if (fours == 4) launch_fours<4>(stream, v);
  if (fours == 8) launch_fours<8>(stream, v);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t count, int /*fours*/) {
  const std::int64_t warps = count / width / model::warp_size;  // each four of a thread is a request
  return model::Prediction{}
      .global_load(2 * warps, 16, [](int lane) { return lane; })
      .global_store(warps, 16, [](int lane) { return lane; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() {
  add_vectors("fours", Axes(block).with("fours", {2, 4, 8}), launch, predict,
              {.curve = true, .counted = {counted_size}});
}
// [step]
