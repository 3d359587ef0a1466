// Not all multiprocessors have a block: how many does it take to keep the L2 busy, or the DRAM?
#include "stream.hpp"

namespace {
constexpr int together = 8;

/// How many arrays are read, and how many are written.
const std::vector<std::vector<std::int64_t>> mixes{{1, 0}, {0, 1}, {1, 1}};

Traffic traffic_of(const std::vector<std::int64_t>& mix) {
  if (mix == mixes[0]) return reading<together>;
  if (mix == mixes[1]) return writing<together>;
  return scaling<together>;
}
}  // namespace

void weft::register_steps() {
  const Axes axes = Axes().with("blocks", {132, 66, 33, 16, 8, 4, 2, 1}).with_tuples("arrays", mixes);
  for (const Setting& setting : axes.settings()) {
    Variant made =
        bandwidth("busy-multiprocessors", setting, traffic_of(setting["arrays"]), setting.number("blocks"));
    made.curve = true;
    made.measured = {{16, 64}, {1024, 1}};
    add(std::move(made));
  }
}
