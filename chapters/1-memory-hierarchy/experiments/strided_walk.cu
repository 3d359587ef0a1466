// A walk in order with links closer together than a line, or farther apart.
#include "ring_walk.hpp"

void weft::register_steps() {
  const auto a_part = [](const RingShape& /*ring*/) { return Walk{.lead = 8191, .timed = 1 << 15}; };
  for (const Setting& setting : Axes().with("stride", {128, 8, 16, 32, 64, 4096}).settings()) {
    const std::int64_t stride = setting.number("stride");
    const auto in_order = [=](std::int64_t bytes) { return RingShape{bytes / stride, stride, false}; };
    Variant made = walk_variant("strided-walk", setting, in_order, launch_walk<Through::l1_and_l2>, a_part);
    made.kind = Kind::experiment;
    made.checked = {{4096}, {1 << 20}};
    made.measured = {{1 << 20}, {std::int64_t{256} << 20}};
    made.counted = {{4096}};
    add(std::move(made));
  }
}
