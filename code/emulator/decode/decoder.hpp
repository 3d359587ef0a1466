#pragma once

#include <vector>

#include "emulator/decode/layout.hpp"
#include "emulator/execute/routine.hpp"
#include "emulator/joining/joining.hpp"
#include "emulator/ptx/module.hpp"

namespace weft::emulator {

/// Makes a function executable.
/// @param sites of the program: those of this function are added
/// @param executions how the machine code carries out its memory instructions, which is what is counted
/// @throws Error that names the first instruction that is not known
Routine decode(const ptx::Module& module, const ptx::Function& function, const Layout& layout,
               std::vector<Site>& sites, const Executions& executions = {});

}  // namespace weft::emulator
