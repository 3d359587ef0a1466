#pragma once

/// @file
/// The kernels and variables that programs register.

#include <string>
#include <vector>

#include "emulator/load/program.hpp"

namespace weft::emulator {

/// A kernel, ready to be launched.
struct Kernel {
  Program* program = nullptr;
  const Routine* routine = nullptr;
  const MachineFunction* machine_code = nullptr;  ///< nullptr if the program holds none for this device
  /// In that case, what the program holds for another architecture: a hint at what the device would need.
  const MachineFunction* foreign_code = nullptr;
  int foreign_architecture = 0;  ///< 75 for sm_75
};

/// @param function the host's stub of the kernel
/// @return no routine if no such kernel is registered
/// @throws Error if its module cannot be read, or the kernel cannot be run here
Kernel find_kernel(const void* function);

/// @param variable the host's shadow of a variable in global or constant memory
/// @return no address if no such variable is registered
Program::Symbol find_symbol(const void* variable);

class Module;

/// Takes in code that a program loads while it runs: PTX, a fat binary or its wrapper.
/// @throws Error if it is nothing of the kind, or cannot be run here
Module* load_module(const void* code);

/// The handle of a kernel of such a module, which find_kernel() knows.
/// @return nullptr if there is no kernel of that name
const void* kernel_handle(Module& module, const std::string& name);
std::vector<const void*> kernel_handles(Module& module);

/// A variable of such a module.
/// @return no address if there is none of that name
Program::Symbol symbol_of(Module& module, const std::string& name);

/// Compute capability of the emulated device: 90 is 9.0.
int architecture();

}  // namespace weft::emulator
