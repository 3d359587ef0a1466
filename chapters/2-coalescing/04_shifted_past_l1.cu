// The shifted add with loads that leave no line in the L1: what two warps share is asked of the L2 twice.
#include "problem.hpp"

namespace {
constexpr dim3 block{256};

// [kernel]
__global__ void add_shifted_past_l1(const float* __restrict__ a, const float* __restrict__ b,
                                    float* __restrict__ c, std::int64_t count, int offset) {
  const std::int64_t index = thread_index() + offset;
  if (index < count + offset) c[index] = __ldcg(&a[index]) + __ldcg(&b[index]);
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Vectors v, int offset) {
  add_shifted_past_l1<<<grid_for(v.count, block), block, 0, stream>>>(v.a, v.b, v.c, v.count, offset);
}
// [launch]

model::Prediction predict(std::int64_t count, int offset) {
  const std::int64_t warps = count / model::warp_size;
  return model::Prediction{}
      .global_load(2 * warps, 4, [&](int lane) { return lane + offset; })
      .global_store(warps, 4, [&](int lane) { return lane + offset; });
}
}  // namespace

void weft::register_steps() {
  const auto selection = [](const Setting& at) { return Selection{.first = at.number()}; };
  add_vectors("shifted-past-l1", Axes(block).with("offset", {0, 1, 4, 8, 32, 64}), launch, predict,
              {.selection = selection, .curve = true, .measured = {timed_size}, .counted = {counted_size}});
}
