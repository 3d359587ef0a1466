// The shifted add in blocks of one warp: neighbours run on different multiprocessors, and share no L1.
#include "problem.hpp"

namespace {
constexpr dim3 block{32};

// [kernel]
__global__ void add_shifted_one_warp(const float* __restrict__ a, const float* __restrict__ b,
                                     float* __restrict__ c, std::int64_t count, int offset) {
  const std::int64_t index = thread_index() + offset;
  if (index < count + offset) c[index] = a[index] + b[index];
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Vectors v, int offset) {
  add_shifted_one_warp<<<grid_for(v.count, block), block, 0, stream>>>(v.a, v.b, v.c, v.count, offset);
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
  add_vectors("shifted-one-warp", Axes(block).with("offset", {0, 1, 4, 8}), launch, predict,
              {.selection = selection, .curve = true, .measured = {timed_size}, .counted = {counted_size}});
}
