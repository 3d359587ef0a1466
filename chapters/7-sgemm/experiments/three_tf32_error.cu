// The error of three products of tf32, by depth and by inputs.
#include "accuracy.hpp"
#include "three_tf32.hpp"  // sm_90a

// [step]
void weft::register_steps() {
  add_error("three-tf32-error", Kind::experiment, three_tf32::launch, tiled::workspace);
}
// [step]
