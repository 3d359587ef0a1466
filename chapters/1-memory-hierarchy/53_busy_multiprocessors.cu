// Only some multiprocessors have a block: how many does it take to keep the L2 busy, or the DRAM?
#include "stream.hpp"

namespace {
constexpr int together = 8;

/// How many arrays are read, and how many are written.
const List<Numbers> mixes{{1, 0}, {0, 1}};
}  // namespace

void weft::register_steps() {
  const Axes axes = Axes().with("blocks", {132, 66, 33, 16, 8, 1}).with_tuples("arrays", mixes);
  for (const Setting& setting : axes.settings()) {
    const Traffic traffic = setting["arrays"] == mixes[0] ? reading<together> : writing<together>;
    Variant made = bandwidth("busy-multiprocessors", setting, traffic, setting.number("blocks"));
    made.curve = true;
    made.measured = {{16, 32}, {512, 1}};
    add(std::move(made));
  }
}
