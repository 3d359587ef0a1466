#pragma once

/// @file
/// Control flow: basic blocks, and where the ways out of a branch meet again.

#include <cstdint>
#include <vector>

#include "emulator/sketch/draft.hpp"

namespace weft::emulator {

/// Drafts that are executed one after the other.
struct BasicBlock {
  std::uint32_t first = 0, last = 0;  ///< drafts [first, last)
  std::vector<std::uint32_t> successors;
};

std::vector<BasicBlock> basic_blocks(const Sketch& sketch);

inline constexpr std::uint32_t no_block = ~0U;

/// The immediate post-dominator of each block: the first block that all ways from it lead to; no_block if
/// they only meet outside of the routine.
std::vector<std::uint32_t> immediate_post_dominators(const std::vector<BasicBlock>& blocks);

/// Inserts an operation wherever the ways out of a branch that can divide a warp meet.
/// @return for each draft of the result the draft at which its ways meet; its own index if nowhere
std::vector<std::uint32_t> insert_joins(Sketch& sketch, Handler meet, bool exits);

}  // namespace weft::emulator
