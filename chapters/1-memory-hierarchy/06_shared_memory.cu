// Each request asks for 512 bytes side by side: four wavefronts, in which every bank gives a word.
#include "wavefronts.hpp"

namespace {
// [kernel]
__global__ __launch_bounds__(full_block.x, blocks_of_multiprocessor) void go_round(const uint4* next,
                                                                                   std::uint32_t* last,
                                                                                   std::int64_t loads) {
  __shared__ uint4 table[32];
  std::uint32_t place = threadIdx.x % 32;
  if (threadIdx.x < 32) table[place] = next[place];
  __syncthreads();
#pragma unroll 8
  for (std::int64_t load = 0; load < loads; ++load) {
    const uint4 found = table[place];
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
  const std::int64_t blocks = warps * model::warp_size / full_block.x;
  const auto own = [](int lane) { return lane; };
  return model::Prediction{}
      .global_load(blocks, 16, own)
      .shared_store(blocks, 16, own)
      .shared_load(warps * loads, 16, own)
      .global_store(warps, 4, own);
}
}  // namespace

void weft::register_steps() {
  const auto next = [](std::int64_t place) {
    return place % 4 == 0 ? static_cast<std::uint32_t>(place / 4) : 0;
  };
  const auto last = [](std::int64_t thread) { return static_cast<std::uint32_t>(thread % 32); };
  Variant made = wavefront_roof("shared-memory", 128, next, last, 4, launch);
  made.predict = [](const Shape& shape) { return predict(shape[0]); };
  add(std::move(made));
}
