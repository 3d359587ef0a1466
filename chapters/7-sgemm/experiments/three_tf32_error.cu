// The error of three products of tf32, by depth and by inputs; and what it is in the order of the steps.
#include "accuracy.hpp"
#include "three_tf32.hpp"  // sm_90a

// [step]
void weft::register_steps() {
  for (const Setting& setting : Axes().with("small-first", {1, 0}).settings()) {
    const Launch launch =
        setting.number("small-first") == 1 ? three_tf32::launch<true> : three_tf32::launch<false>;
    add_error("three-tf32-error", setting, launch, {.kind = Kind::experiment, .workspace = tiled::workspace});
  }
}
// [step]
