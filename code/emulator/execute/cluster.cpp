#include "emulator/execute/cluster.hpp"

#include <algorithm>

#include "emulator/execute/block.hpp"
#include "emulator/execute/warp.hpp"

namespace weft::emulator {

void Cluster::arrive(std::uint32_t threads) {
  arrived += threads;
  std::uint32_t live = 0;
  for (const Block* const block : blocks) live += block->live_threads;
  if (arrived < live) return;
  arrived = 0;
  ++phase;
  for (Block* const block : blocks) {
    ++block->progress;
    if (block->history) block->history->all_met();
    for (Warp& warp : block->warps) {
      for (Fragment& fragment : warp.fragments) {
        if (fragment.state == Fragment::State::at_cluster_barrier) fragment.state = Fragment::State::runnable;
      }
    }
  }
}

bool Cluster::runs() const {
  return std::ranges::any_of(blocks, [](const Block* block) {
    return std::ranges::any_of(block->warps, [](const Warp& warp) { return runnable(warp); });
  });
}

}  // namespace weft::emulator
