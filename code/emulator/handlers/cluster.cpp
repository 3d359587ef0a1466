/// @file
/// The barrier of a cluster.

#include "emulator/execute/cluster.hpp"

#include <bit>

#include "emulator/execute/block.hpp"
#include "emulator/execute/warp.hpp"
#include "emulator/handlers/handlers.hpp"

namespace weft::emulator {
namespace {

/// Counts the active lanes in, and notes for which opening they wait.
const Operation* arrive_in_cluster(Warp& warp, const Operation& operation) {
  Cluster* const cluster = warp.block->cluster;
  const bool odd = (cluster->phase & 1) != 0;
  warp.odd_cluster_phase = odd ? warp.odd_cluster_phase | warp.active : warp.odd_cluster_phase & ~warp.active;
  cluster->arrive(static_cast<std::uint32_t>(std::popcount(warp.active)));
  return &operation + 1;
}

/// Lanes wait until the barrier has opened at which they arrived.
const Operation* wait(Warp& warp, const Operation& operation) {
  const Cluster& cluster = *warp.block->cluster;
  const std::uint32_t still_closed =
      ((cluster.phase & 1) != 0 ? warp.odd_cluster_phase : ~warp.odd_cluster_phase) & warp.active;
  if (still_closed == 0) return &operation + 1;
  return park(warp, &operation, Fragment::State::at_cluster_barrier, 0);
}

}  // namespace

void add_cluster(Table& table) {
  table.add("barrier.cluster.arrive", "", &arrive_in_cluster, {});
  table.add("barrier.cluster.wait", "", &wait, {});
}

}  // namespace weft::emulator
