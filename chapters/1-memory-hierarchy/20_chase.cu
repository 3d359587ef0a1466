// A thread goes from link to link of a ring, and does nothing else: what a load takes as the ring grows from
// a kibibyte to half of the card's memory.
#include "ring_walk.hpp"

namespace {
/// Powers of two, and points around the ends of the L1 and of the L2.
std::vector<Shape> working_sets(std::int64_t stride) {
  std::vector<Shape> sets;
  for (int log = 10; log <= 36; ++log) {
    const std::int64_t bytes = std::int64_t{1} << log;
    if (bytes >= 8 * stride) sets.push_back({bytes});
    if (log == 17 || log == 24 || log == 25) {
      for (const int eighths : {10, 12, 14}) sets.push_back({bytes / 8 * eighths * (stride / 128)});
    }
  }
  return sets;
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
