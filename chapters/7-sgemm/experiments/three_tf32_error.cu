// The error of three products of tf32, by depth and by inputs; and what it is in the order of the steps.
#include "accuracy.hpp"
#include "three_tf32.hpp"  // sm_90a

// [step]
void weft::register_steps() {
  using three_tf32::Order;
  for (const Setting& setting : Axes().with("small-first", {1, 0}).settings()) {
    const Launch launch = setting.number("small-first") == 1 ? three_tf32::launch<Order::small_first>
                                                             : three_tf32::launch<Order::step_by_step>;
    add_error("three-tf32-error", setting, launch, {.kind = Kind::experiment, .workspace = tiled::workspace});
  }
}
// [step]
