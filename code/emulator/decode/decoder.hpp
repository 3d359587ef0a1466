#pragma once

#include "emulator/operation/routine.hpp"
#include "emulator/ptx/module.hpp"
#include "emulator/sketch/builder.hpp"

namespace weft::emulator {

/// Makes a function executable.
/// @throws Error that names the first instruction that is not known
Routine decode(const ptx::Module& module, const ptx::Function& function, const Surroundings& surroundings);

}  // namespace weft::emulator
