#pragma once

/// @file
/// What the words of an instruction say.

#include "emulator/ptx/module.hpp"

namespace weft::emulator::ptx {

/// Whether the first operand of an instruction is no result.
bool has_no_result(const Instruction& instruction);

/// The space that an instruction names; generic if none.
Space space_of(const Instruction& instruction);

}  // namespace weft::emulator::ptx
