// Tensor cores without losing FP32: each factor is split into two tf32, and three products are added up.
#include "accuracy.hpp"
#include "step/text.hpp"
#include "three_tf32.hpp"  // sm_90a

namespace weft::three_tf32 {
namespace {
// [predict]
/// The tensor cores read shared memory themselves; what is counted is what warps ask for.
model::Prediction predict(std::int64_t m, std::int64_t n, std::int64_t k) {
  const std::int64_t tiles = m / rows * (n / columns);
  const std::int64_t steps = tiles * (k / depth);
  const std::int64_t fours = steps * rows * depth / 4 / model::warp_size;
  return model::Prediction{}
      .shared_load(fours, 16, [](int lane) { return lane; })
      .shared_store(fours, 16, [](int lane) { return lane; })
      .shared_load(steps * columns * depth / model::warp_size, 4,
                   [](int lane) { return lane % 4 * box + swizzled(lane % 4, column_of(0, lane, 0)); })
      .global_store(tiles * multiplying_warps * sums_of_product, 4,
                    [n](int lane) { return lane % 4 * std::int64_t{2} * n + column_of(0, lane, 0); });
}
// [predict]
}  // namespace
}  // namespace weft::three_tf32

using namespace weft::three_tf32;

// [step]
void weft::register_steps() {
  add_product("three-tf32", tile_axis(rows, columns, depth), launch, predict,
              {.workspace = tiled::workspace, .everywhere = true, .least_depth = least_depth});
}
// [step]

TEST_SUITE("device") {
  // [accuracy]
  TEST_CASE("three products of tf32 are no further from the truth than a sum in float32") {
    try {
      for (const Inputs inputs : {Inputs::zero_mean, Inputs::positive, Inputs::ill_scaled, Inputs::spread}) {
        for (const std::int64_t depth : {4, 32, 64, 124, 128, 160, 256, 1024, 4096}) {
          const auto error = [&](const Launch& way) {
            return relative_error(way, tiled::workspace, {48, 48, depth}, inputs).rms;
          };
          CAPTURE(depth);
          CHECK(error(launch) <= error(tiled::launch<0>));
        }
      }
    } catch (const Unavailable&) {
      return;  // the checks of shapes say so
    }
  }
  // [accuracy]
}
