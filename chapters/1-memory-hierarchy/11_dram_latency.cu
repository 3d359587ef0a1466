// A thread goes past both caches through 256 MiB, which is in neither of them, and meets no line twice.
#include "past_l1.hpp"

// [step]
void weft::register_steps() {
  constexpr std::int64_t lines = std::int64_t{1} << 21;
  constexpr std::int64_t apart = 509;  // lines, so that no load finds what an earlier one has fetched
  add(latency_roof("dram-latency", lines, apart, 4096, launch_past_l1));
}
// [step]
