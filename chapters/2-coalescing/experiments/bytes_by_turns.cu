// Four bytes a thread, one by one or all together: the requests stay the same, the bytes in flight do not.
#include "experiments/by_turns.hpp"
#include "problem.hpp"

namespace {
constexpr dim3 block{256};
constexpr int elements = 4;

/// @param together how many of its elements a thread asks for before it waits
void launch(cudaStream_t stream, const std::uint8_t* a, const std::uint8_t* b, std::uint8_t* c,
            std::int64_t count, int together) {
  const dim3 grid = grid_for(blocks_over(count, elements), block);
  const auto kernel = together == 1 ? add_by_turns<elements, 1, std::uint8_t>
                                    : add_by_turns<elements, elements, std::uint8_t>;
  kernel<<<grid, block, 0, stream>>>(a, b, c, count);
}

model::Prediction predict(std::int64_t count) {
  const std::int64_t warps = count / model::warp_size;
  return model::Prediction{}
      .global_load(2 * warps, 1, [](int lane) { return lane; })
      .global_store(warps, 1, [](int lane) { return lane; });
}
}  // namespace

void weft::register_steps() {
  add_narrow<std::uint8_t>("bytes-by-turns", Axes(block).with("together", {1, elements}), launch, predict,
                           Kind::experiment);
}
