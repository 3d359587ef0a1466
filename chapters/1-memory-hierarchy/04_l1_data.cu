// Each request asks for 512 bytes in four lines, which lie in four tag banks: four data wavefronts and one
// tag wavefront.
#include "wavefronts.hpp"

namespace {
// [kernel]
__global__ __launch_bounds__(full_block.x, blocks_of_multiprocessor) void go_round(const uint4* next,
                                                                                   std::uint32_t* last,
                                                                                   std::int64_t loads) {
  std::uint32_t place = threadIdx.x % 32;
#pragma unroll 8
  for (std::int64_t load = 0; load < loads; ++load) {
    const uint4 found = __ldca(next + place);
    place = found.x + found.y + found.z + found.w;  // of which three are zero
  }
  last[std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x] = place;
}
// [kernel]

void launch(unsigned blocks, cudaStream_t stream, const std::uint32_t* next, std::uint32_t* last,
            std::int64_t loads) {
  go_round<<<blocks, full_block, 0, stream>>>(reinterpret_cast<const uint4*>(next), last, loads);
}

model::Prediction predict(std::int64_t loads) {
  const std::int64_t warps = threads_of_card() / model::warp_size;
  const auto first = [](std::int64_t) { return std::int64_t{0}; };
  return model::Prediction{}
      .global_load(
          warps * loads, 16, [](int lane) { return lane; }, 1, first)
      .global_store(warps, 4, [](int lane) { return lane; });
}
}  // namespace

void weft::register_steps() {
  const auto next = [](std::int64_t place) {
    return place % 4 == 0 ? static_cast<std::uint32_t>(place / 4) : 0;
  };
  const auto last = [](std::int64_t thread) { return static_cast<std::uint32_t>(thread % 32); };
  Variant made = wavefront_roof("l1-data", 128, next, last, 4, launch);
  made.predict = [](const Shape& shape) { return predict(shape[0]); };
  add(std::move(made));
}
