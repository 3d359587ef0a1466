// Lines that the L2 holds are spread over more and more memory: how long does a load from another page take?
#include "spread_ring.hpp"

void weft::register_steps() {
  for (const Setting& setting : Axes().with("all", {0, 1}).settings()) {
    const Walkers walkers = setting.number("all") == 1 ? Walkers::all : Walkers::one;
    Variant made =
        walk_variant("tlb", setting, spread_over, launch_walk<Through::l2>, after_a_round, walkers);
    if (walkers == Walkers::all) made.checked = {{4224}};
    made.checked_large = {{std::int64_t{64} << 30}};
    for (int log = 23; log <= 36; ++log) made.measured.push_back({std::int64_t{1} << log});
    add(std::move(made));
  }
}
