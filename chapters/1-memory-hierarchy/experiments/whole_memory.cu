// The lines of the step tlb, spread over more memory than half of an H200's.
#include "device/device.hpp"
#include "spread_ring.hpp"

void weft::register_steps() {
  Variant made = walk_variant("whole-memory", Axes().settings().front(), spread_over,
                              launch_walk<Through::l2>, after_a_round);
  made.kind = Kind::experiment;
  for (const std::int64_t gib : {72, 80, 96, 112, 128}) made.measured.push_back({gib << 30});
  const auto make = made.make;
  made.make = [=](const Shape& shape) {
    try {
      return make(shape);
    } catch (const OutOfDeviceMemory& error) {
      unavailable(error.what());
    }
  };
  add(std::move(made));
}
