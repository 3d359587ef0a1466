// A thread follows a ring from link to link, and does nothing else: how long does a load take as the ring
// grows from a kibibyte to 64 GiB?
#include "ring_walk.hpp"

namespace {
List<Shape> of_bytes(std::int64_t unit, const Numbers& numbers) {
  List<Shape> shapes;
  for (const std::int64_t number : numbers) shapes.push_back({number * unit});
  return shapes;
}

/// More of them where the L1 ends, and the L2.
List<Shape> working_sets(std::int64_t stride) {
  if (stride > model::line_bytes)
    return of_bytes(stride, {8, 64, 512, 1024, 2048, 4096, 1 << 15, 1 << 18, 1 << 19, 1 << 20, 1 << 24});
  constexpr std::int64_t kib = 1024;
  List<Shape> all = of_bytes(kib, {1, 2, 4, 8, 16, 32, 64, 128, 192, 208, 224, 240, 256, 288, 320, 512});
  all.append(of_bytes(kib * kib, {1, 2, 4, 8, 16, 24, 28, 32, 36, 48, 52, 56, 60, 64, 96, 128, 256}));
  for (int log = 29; log <= 36; ++log) all.push_back({std::int64_t{1} << log});
  return all;
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("stride", {128, 4096}).settings()) {
    const std::int64_t stride = setting.number("stride");
    const auto ring = [=](std::int64_t bytes) { return ring_over(bytes, stride); };
    Variant made = walk_variant("chase", setting, ring, launch_walk<Through::l1_and_l2>);
    made.checked.push_back({std::int64_t{256} << 20});
    made.checked_large = {{std::int64_t{64} << 30}};
    made.measured = working_sets(stride);
    add(std::move(made));
  }
}
