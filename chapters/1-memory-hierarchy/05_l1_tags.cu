// Each lane asks for a word in a line of its own, 33 words after its neighbour's: one data wavefront and
// eight tag wavefronts.
#include "wavefronts.hpp"

namespace {
constexpr int pitch = 33;
constexpr std::int64_t table = std::int64_t{1} << 19;    // so large that it begins on a multiple of 2 MiB
constexpr std::int64_t first_element = guard_bytes / 4;  // in an allocation
constexpr int wavefronts = model::tag_wavefronts(
    model::Lanes(4, [](int lane) { return first_element + std::int64_t{lane} * pitch; }));

// [kernel]
__global__ __launch_bounds__(full_block.x, blocks_of_multiprocessor) void go_round(const std::uint32_t* next,
                                                                                   std::uint32_t* last,
                                                                                   std::int64_t loads) {
  std::uint32_t place = threadIdx.x % 32 * pitch;
#pragma unroll 8
  for (std::int64_t load = 0; load < loads; ++load) place = __ldca(next + place);
  last[std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x] = place;
}
// [kernel]

void launch(unsigned blocks, cudaStream_t stream, const std::uint32_t* next, std::uint32_t* last,
            std::int64_t loads) {
  go_round<<<blocks, full_block, 0, stream>>>(next, last, loads);
}

model::Prediction predict(std::int64_t loads) {
  const std::int64_t warps = threads_of_card() / model::warp_size;
  const auto first = [](std::int64_t) { return first_element; };
  return model::Prediction{}
      .global_load(
          warps * loads, 4, [](int lane) { return lane * pitch; }, 1, first)
      .global_store(warps, 4, [](int lane) { return lane; });
}
}  // namespace

void weft::register_steps() {
  static_assert(wavefronts == 8);
  const auto next = [](std::int64_t place) { return static_cast<std::uint32_t>(place); };
  const auto last = [](std::int64_t thread) { return static_cast<std::uint32_t>(thread % 32 * pitch); };
  Variant made = wavefront_roof("l1-tags", table, next, last, wavefronts, launch);
  made.predict = [](const Shape& shape) { return predict(shape[0]); };
  add(std::move(made));
}
