#pragma once

/// @file
/// The memory instructions of a PTX function, as far as a compiler may change them.

#include <cstdint>
#include <vector>

#include "binary/machine_instruction.hpp"
#include "emulator/ptx/module.hpp"
#include "emulator/ptxas/address_form.hpp"

namespace weft::emulator {

/// A load, store or atomic of a PTX function.
struct PtxAccess {
  std::uint32_t instruction = 0;  ///< its index in the function
  MachineOperation operation{};   ///< what it becomes if its address's space is as it says
  int bytes = 0;                  ///< per lane
  int element_bytes = 0;          ///< of a vector's elements, or all of it
  AddressForm address;
  std::uint32_t stretch = 0;      ///< of code without a jump, a label or a barrier: its number
  bool may_join = false;          ///< a plain access: not volatile, not guarded, no cache hint
  bool may_add_up_lanes = false;  ///< an atomic that one lane may carry out for all
  std::uint32_t loop = 0;         ///< the innermost one: where it ends, or 0
  std::uint32_t phase =
      0;  ///< of a shared access: loads between the same stores, stores that follow each other
};

/// All accesses to global, shared and generic memory, in order; parameters, constants and local memory are
/// none of them.
std::vector<PtxAccess> accesses_of(const ptx::Function& function, const AddressForms& forms);

}  // namespace weft::emulator
