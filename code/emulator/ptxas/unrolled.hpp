#pragma once

/// @file
/// Loops that ptxas unrolled. Lanes that leave one at different times do so from different copies of its
/// body, and what was one instruction for all of them is several.

#include <vector>

#include "emulator/ptx/module.hpp"
#include "emulator/ptxas/accesses.hpp"
#include "emulator/ptxas/executions.hpp"

namespace weft::emulator {

/// Finds the branches that end or leave loops with accesses of which there are several copies.
void find_unrolled_exits(const ptx::Function& function, const std::vector<PtxAccess>& accesses,
                         Executions& executions);

}  // namespace weft::emulator
