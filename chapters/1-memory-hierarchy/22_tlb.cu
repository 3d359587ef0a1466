// Each load wants another page of the memory: what that adds to a load that the L2 answers.
#include "ring_walk.hpp"

namespace {
constexpr std::int64_t page = std::int64_t{2} << 20;

/// A link in each page, a line further in than in the page before: all at one place, they would crowd into a
/// few sets of the caches.
RingShape link_in_each(std::int64_t pages) { return {pages, page + model::line_bytes}; }

/// The first round leaves in the caches and in the TLB what there is room for.
Walk after_a_round(const RingShape& ring) {
  const Walk rounds = whole_rounds(ring);
  return {std::max(rounds.lead, ring.links + 1), rounds.timed};
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("all", {0, 1}).settings()) {
    const std::int64_t walkers = setting.number("all") == 1 ? multiprocessors() : 1;
    Variant made =
        walk_variant("tlb", setting, link_in_each, launch_walk<Through::l2>, after_a_round, walkers);
    made.checked = walkers == 1 ? std::vector<Shape>{{1}, {3}, {100}} : std::vector<Shape>{{3}};
    made.checked_large = {{60'000}};
    made.counted = {{64}};
    for (std::int64_t pages = 16; pages <= 1 << 16; pages *= 2) made.measured.push_back({pages});
    add(std::move(made));
  }
}
