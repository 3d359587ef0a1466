// The same patterns in shared memory, which has the same banks, and no tags to look up.
#include "patterns.hpp"

namespace {
template <typename Element>
__global__ __launch_bounds__(full_block.x, blocks_of_multiprocessor) void load_shared_pattern(
    const Element* next, std::uint32_t* last, std::int64_t loads, int stride) {
  __shared__ Element table[most_elements];
#pragma unroll
  for (unsigned first = 0; first < most_elements; first += full_block.x) {
    table[first + threadIdx.x] = next[first + threadIdx.x];
  }
  __syncthreads();
  std::uint32_t place = threadIdx.x % 32 * stride;
#pragma unroll 8
  for (std::int64_t load = 0; load < loads; ++load) place = sum_of(table[place]);
  last[std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x] = place;
}

template <typename Element>
void launch(unsigned blocks, cudaStream_t stream, const std::uint32_t* next, std::uint32_t* last,
            std::int64_t loads, int stride) {
  load_shared_pattern<<<blocks, full_block, 0, stream>>>(reinterpret_cast<const Element*>(next), last, loads,
                                                         stride);
}

LaunchPattern launch_of(int width) {
  return width == 4 ? launch<std::uint32_t> : width == 8 ? launch<uint2> : launch<uint4>;
}

model::Prediction predict(std::int64_t loads, int width, int stride) {
  const std::int64_t warps = threads_of_card() / model::warp_size;
  const std::int64_t copies = warps * most_elements / full_block.x;
  const auto own = [](int lane) { return lane; };
  return model::Prediction{}
      .global_load(copies, width, own)
      .shared_store(copies, width, own)
      .shared_load(warps * loads, width, [=](int lane) { return lane * stride; })
      .global_store(warps, 4, own);
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : patterns().settings()) {
    const int width = setting.number("width");
    const int stride = setting.number("stride");
    const int cycles = model::shared_load_wavefronts(lanes_of(setting));
    const std::int64_t words = std::int64_t{most_elements} * width / 4;
    Variant made = pattern_variant("shared-pattern", setting, words, cycles, launch_of(width));
    made.predict = [=](const Shape& shape) { return predict(shape[0], width, stride); };
    add(std::move(made));
  }
}
