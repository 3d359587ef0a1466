#pragma once

/// @file
/// Guards: ptxas turns short branches into instructions that each lane executes or not. A warp comes to those
/// even if none of its lanes does.

#include <cstdint>
#include <optional>

#include "binary/machine_instruction.hpp"
#include "emulator/ptx/module.hpp"

namespace weft::emulator {

/// Whether Nsight Compute counts such an instruction where its warp comes to its guard.
bool is_counted_at_guard(MachineOperation operation);

/// The instruction at which a warp comes to what would guard an instruction of the PTX: itself if it has a
/// guard, or else the branch that leads around its stretch of code, if nothing else leads there.
std::optional<std::uint32_t> place_of_guard(const ptx::Function& function, std::uint32_t instruction);

}  // namespace weft::emulator
