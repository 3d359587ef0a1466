// A thread goes through 256 MiB, meets no line twice, and each of its loads misses both caches.
#include "past_l1.hpp"

// [step]
void weft::register_steps() {
  constexpr std::int64_t lines = std::int64_t{1} << 21;
  constexpr std::int64_t apart = 509;  // lines, so that no load finds what an earlier one has fetched
  add(latency_roof("dram-latency", lines, apart, 4096, launch_past_l1));
}
// [step]
