// The walk of the step chase goes five times round in one launch: what Nsight Compute counts of it is not the
// first round's alone.
#include "ring_walk.hpp"

namespace {
Walk five_rounds(const RingShape& ring) { return {ring.links + 1, 4 * ring.links}; }
}  // namespace

void weft::register_steps() {
  const auto ring = [](std::int64_t bytes) { return ring_over(bytes); };
  Variant made = walk_variant("five-rounds", Axes().settings().front(), ring, launch_walk<Through::l1_and_l2>,
                              five_rounds);
  made.kind = Kind::experiment;
  for (const std::int64_t mib : {20, 40, 80}) made.measured.push_back({mib << 20});
  made.quantities.push_back({"dram__bytes_read.sum", "byte", Origin::profiler, {}});
  add(std::move(made));
}
