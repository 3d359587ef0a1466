// The lanes of a warp load elements of a given width, a given stride apart, from the L1: what does the
// pattern cost?

#include "patterns.hpp"

namespace {
constexpr std::int64_t words = std::int64_t{1} << 19;  // so many that they begin on a multiple of 2 MiB

// [kernel]
template <typename Element>
__global__ __launch_bounds__(full_block.x, blocks_of_multiprocessor) void load_pattern(const Element* next,
                                                                                       std::uint32_t* last,
                                                                                       std::int64_t loads,
                                                                                       int stride) {
  std::uint32_t place = threadIdx.x % 32 * stride;
#pragma unroll 8
  for (std::int64_t load = 0; load < loads; ++load) place = sum_of(__ldca(next + place));
  last[std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x] = place;
}
// [kernel]

template <typename Element>
void launch(unsigned blocks, cudaStream_t stream, const std::uint32_t* next, std::uint32_t* last,
            std::int64_t loads, int stride) {
  load_pattern<<<blocks, full_block, 0, stream>>>(reinterpret_cast<const Element*>(next), last, loads,
                                                  stride);
}

LaunchPattern launch_of(int width) {
  return width == 4 ? launch<std::uint32_t> : width == 8 ? launch<uint2> : launch<uint4>;
}

model::Prediction predict(std::int64_t loads, int width, int stride) {
  const std::int64_t warps = threads_of_card() / model::warp_size;
  const auto first = [=](std::int64_t) { return guard_bytes / width; };
  return model::Prediction{}
      .global_load(
          warps * loads, width, [=](int lane) { return std::int64_t{lane} * stride; }, 1, first)
      .global_store(warps, 4, [](int lane) { return lane; })
      .launch(warps, 1);
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : patterns().settings()) {
    const int width = setting.number("width");
    const int stride = setting.number("stride");
    const model::Lanes lanes = lanes_of(setting, guard_bytes);
    const int cycles = max(model::tag_wavefronts(lanes), model::data_wavefronts(lanes));
    Variant made = pattern_variant("l1-pattern", setting, words, cycles, launch_of(width));
    made.predict = [=](const Shape& shape) { return predict(shape[0], width, stride); };
    add(std::move(made));
  }
}

TEST_CASE("neither lines nor banks alone foretell the cycles of all patterns") {
  const auto floats = [](int stride) {
    return model::Lanes(4, [=](int lane) { return guard_bytes / 4 + std::int64_t{lane} * stride; });
  };
  CHECK(model::tag_wavefronts(floats(32)) == 8);  // 32 lines
  CHECK(model::data_wavefronts(floats(32)) == 32);
  CHECK(model::tag_wavefronts(floats(33)) == 8);
  CHECK(model::data_wavefronts(floats(33)) == 1);
}
