#pragma once

/// @file
/// The kernels and variables that programs register.

#include <string>

#include "emulator/decode/program.hpp"

namespace weft::emulator {

/// A kernel, ready to be launched.
struct Kernel {
  Program* program = nullptr;
  const Routine* routine = nullptr;
  const MachineFunction* machine_code = nullptr;  ///< nullptr if the program holds none for this device
};

/// @param function the host's stub of the kernel
/// @return no routine if no such kernel is registered
/// @throws Error if its module cannot be read, or the kernel cannot be run here
Kernel find_kernel(const void* function);

/// @param variable the host's shadow of a variable in global or constant memory
/// @return no address if no such variable is registered
Program::Symbol find_symbol(const void* variable);

/// Compute capability of the emulated device: 90 is 9.0.
int architecture();

}  // namespace weft::emulator
