#pragma once

/// @file
/// Accesses that are made more or less often, or elsewhere, when warps run in another order: who waits for
/// another one looks again and again, and what an atomic gives back tells who came first.

#include "emulator/ptx/module.hpp"
#include "emulator/ptxas/executions.hpp"

namespace weft::emulator {

/// Sets Execution::scheduled where what an atomic gave back, or what a volatile or ordered load found,
/// decides the address of an access, whether it is made, or how often its loop turns. Values are followed
/// through registers, not through memory.
void mark_scheduled(const ptx::Function& function, Executions& executions);

}  // namespace weft::emulator
