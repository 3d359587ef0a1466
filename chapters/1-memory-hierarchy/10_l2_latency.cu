// A thread goes past the L1 through a mebibyte that a launch before has brought into the L2.
#include "past_l1.hpp"

// [step]
void weft::register_steps() {
  constexpr std::int64_t lines = 8192;
  Variant made = latency_roof("l2-latency", lines, 1, lines, launch_past_l1);
  made.l2 = L2::warm;
  add(std::move(made));
}
// [step]
