#pragma once

/// @file
/// What ptxas made of a module's kernels: a cubin tells the resources that each needs, and its memory
/// instructions, which need not be the PTX's.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "binary/machine_instruction.hpp"

namespace weft {

/// A memory instruction of the machine code, or a branch, and where it comes from.
struct MachineAccess {
  MachineInstruction instruction;
  std::uint64_t address = 0;   ///< in its function's code, in bytes
  std::uint32_t ptx_line = 0;  ///< 0 if the program was built without -lineinfo
};

/// A kernel or a device function, as machine code.
struct MachineFunction {
  int registers = 0;                    ///< per thread
  std::uint64_t frame_bytes = 0;        ///< of local memory per thread: arrays, spilled registers, calls
  std::uint64_t shared_bytes = 0;       ///< static, without what the system keeps for itself
  std::uint64_t constant_bytes = 0;     ///< of `__constant__` variables, the whole module's
  int most_threads = 0;                 ///< per block, as __launch_bounds__ says; 0 if nothing is said
  std::vector<MachineAccess> accesses;  ///< in the order of the code
};

/// The machine code of one module.
struct Cubin {
  int architecture = 0;        ///< 90 for sm_90
  bool of_other_card = false;  ///< it is not what the card at hand would run
  std::map<std::string, MachineFunction, std::less<>> functions;

  /// Says that it was made of other PTX than that at hand.
  void forget_lines();

  /// @return nullptr if there is no function of that (mangled) name
  [[nodiscard]] const MachineFunction* find(std::string_view name) const;
};

/// Reads a cubin.
/// @param architecture that it was built for
/// @throws std::runtime_error if it is damaged
Cubin read_cubin(std::span<const std::byte> bytes, int architecture);

}  // namespace weft
