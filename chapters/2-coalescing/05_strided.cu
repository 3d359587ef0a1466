// Only some elements are added, but each sector also brings the elements between them.
#include "problem.hpp"

namespace {
constexpr dim3 block{256};
constexpr int most = 32;

// [kernel]
__global__ void add_strided(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                            std::int64_t count, int stride) {
  const std::int64_t index = thread_index() * stride;
  if (index < count) c[index] = a[index] + b[index];
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Vectors v, int stride) {
  const dim3 grid = grid_for(blocks_over(v.count, stride), block);
  add_strided<<<grid, block, 0, stream>>>(v.a, v.b, v.c, v.count, stride);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t count, int stride) {
  const std::int64_t added = blocks_over(count, stride);
  const std::int64_t warps = added / model::warp_size;
  const std::int64_t left = added % model::warp_size;  // the lanes of a last warp, if it is not whole
  const auto whole = [&](int lane) { return lane * stride; };
  const auto last = [&](int lane) -> model::Element {
    if (lane >= left) return {};
    return std::int64_t{lane} * stride;
  };
  return model::Prediction{}
      .global_load(2 * warps, 4, whole)
      .global_store(warps, 4, whole)
      .global_load(2, 4, last)
      .global_store(1, 4, last);
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() {
  const auto selection = [](const Setting& at) { return Selection{.stride = at.number()}; };
  add_vectors("strided", Axes(block).with("stride", range(1, most)), launch, predict,
              {.selection = selection, .curve = true, .measured = {timed_size}, .counted = {counted_size}});
}
// [step]

TEST_CASE("each element of stride costs a warp four sectors more, until each lane has a sector of its own") {
  for (int stride = 1; stride <= most; ++stride) {
    const model::Metrics predicted = predict(std::int64_t{1024} * stride, stride);
    CHECK(predicted[model::Metric::global_load_sectors] ==
          static_cast<std::uint64_t>(4 * min(stride, 8)) * predicted[model::Metric::global_load_requests]);
  }
}
