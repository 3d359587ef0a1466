// The float4 add with room for fewer blocks: shared memory that nobody uses keeps the others out.
#include "device/attribute.hpp"
#include "problem.hpp"

namespace {
constexpr dim3 block{256};
constexpr int width = 4;  // elements of a float4
const Numbers blocks_per_multiprocessor{8, 4, 2, 1};

__global__ void add_resident_blocks(const float* __restrict__ a, const float* __restrict__ b,
                                    float* __restrict__ c, std::int64_t count) {
  const std::int64_t whole = count / width;
  const std::int64_t index = thread_index();
  if (index < whole) {
    const float4 x = reinterpret_cast<const float4*>(a)[index];
    const float4 y = reinterpret_cast<const float4*>(b)[index];
    reinterpret_cast<float4*>(c)[index] = {x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w};
  } else if (index < whole + count % width) {  // the last one, two or three elements
    const std::int64_t last = index + whole * (width - 1);
    c[last] = a[last] + b[last];
  }
}

/// The shared memory of a block of which a multiprocessor holds so many and no more. CUDA keeps 1 KiB of
/// each.
int bytes_for(int resident) {
  const int all = device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  const int most = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  constexpr int kept = 1024;
  return min(all / resident - kept, most);
}

void launch(cudaStream_t stream, Vectors v, int resident) {
  require_aligned(v, sizeof(float4));
  const int bytes = bytes_for(resident);
  cuda_check(cudaFuncSetAttribute(add_resident_blocks, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  const dim3 grid = grid_for(v.count / width + v.count % width, block);
  add_resident_blocks<<<grid, block, bytes, stream>>>(v.a, v.b, v.c, v.count);
}

model::Prediction predict(std::int64_t count) {
  const std::int64_t warps = count / width / model::warp_size;
  return model::Prediction{}
      .global_load(2 * warps, 16, [](int lane) { return lane; })
      .global_store(warps, 16, [](int lane) { return lane; });
}
}  // namespace

void weft::register_steps() {
  add_vectors("resident-blocks", Axes(block).with("blocks", blocks_per_multiprocessor), launch, predict,
              {.kind = Kind::experiment, .measured = {timed_size}, .counted = {counted_size}});
}
