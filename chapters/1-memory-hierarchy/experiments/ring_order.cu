// The links of a ring follow one another in a random order, or as they lie in memory.
#include "ring_walk.hpp"

void weft::register_steps() {
  for (const Setting& setting : Axes().with("shuffled", {1, 0}).settings()) {
    const bool shuffled = setting.number("shuffled") == 1;
    const auto ring = [=](std::int64_t bytes) {
      RingShape made = ring_over(bytes);
      made.shuffled = shuffled;
      return made;
    };
    Variant made = walk_variant("ring-order", setting, ring, launch_walk<Through::l1_and_l2>);
    made.kind = Kind::experiment;
    for (const std::int64_t kib : {128, 256, 1 << 12, 40 << 10, 128 << 10})
      made.measured.push_back({kib << 10});
    add(std::move(made));
  }
}
