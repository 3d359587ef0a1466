#pragma once

/// @file
/// What the steps that ask for page after page have in common.

#include "ring_walk.hpp"

namespace weft {

// [spread]
/// Links whose lines are 8 MiB together, which the L2 holds, however far they lie apart. Neighbours lie an
/// odd number of lines apart: with a power of two they would crowd into a few sets of the L2.
inline RingShape spread_over(std::int64_t bytes) {
  constexpr std::int64_t most = std::int64_t{1} << 16;
  const std::int64_t links = min(max(bytes / model::line_bytes, std::int64_t{1}), most);
  const std::int64_t lines = bytes / links / model::line_bytes;
  return {links, (lines | 1) * model::line_bytes};
}
// [spread]

/// The first round leaves in the L2 and in the TLB what there is room for.
inline Walk after_a_round(const RingShape& ring) {
  const Walk rounds = whole_rounds(ring);
  return {max(rounds.lead, ring.links + 1), rounds.timed};
}

}  // namespace weft
