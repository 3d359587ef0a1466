// The strided add with a dense c, and with several bytes that the L2 asks the DRAM for at a time.
#include "fetch_granularity.hpp"
#include "problem.hpp"

namespace {
constexpr dim3 block{256};

__global__ void add_strided_packed(const float* __restrict__ a, const float* __restrict__ b,
                                   float* __restrict__ c, std::int64_t count, int stride) {
  const std::int64_t packed = thread_index();
  const std::int64_t index = packed * stride;
  if (index < count) c[packed] = a[index] + b[index];
}

void launch(cudaStream_t stream, Vectors v, const Numbers& stride) {
  const dim3 grid = grid_for(blocks_over(v.count, stride.front()), block);
  add_strided_packed<<<grid, block, 0, stream>>>(v.a, v.b, v.c, v.count, static_cast<int>(stride.front()));
}

model::Prediction predict(std::int64_t count, int stride) {
  const std::int64_t added = blocks_over(count, stride);
  const std::int64_t warps = added / model::warp_size;
  const std::int64_t left = added % model::warp_size;  // the lanes of a last warp, if it is not whole
  const auto lanes_of = [&](std::int64_t lanes, std::int64_t distance) {
    return [=](int lane) -> model::Element {
      if (lane >= lanes) return {};
      return lane * distance;
    };
  };
  return model::Prediction{}
      .global_load(2 * warps, 4, lanes_of(model::warp_size, stride))
      .global_store(warps, 4, lanes_of(model::warp_size, 1))
      .global_load(2, 4, lanes_of(left, stride))
      .global_store(1, 4, lanes_of(left, 1));
}
}  // namespace

void weft::register_steps() {
  const auto selection = [](const Setting& at) {
    return Selection{.stride = at.number("stride"), .packed = true};
  };
  const Axes axes = Axes(block).with("stride", {2, 1, 8, 16, 32}).with("granularity", fetch_granularities);
  add_vectors("strided-packed", axes, launch, predict,
              {.kind = Kind::experiment,
               .selection = selection,
               .surroundings = fetch_granularity,
               .curve = true,
               .measured = {timed_size},
               .counted = {counted_size}});
}
