#pragma once

/// @file
/// Memory instructions of the machine code: sm_75 to sm_90 encode an instruction in 16 bytes.

#include <cstdint>
#include <optional>
#include <span>

namespace weft {

/// What an instruction does with memory.
enum class MachineOperation : std::uint8_t {
  load_global,
  store_global,
  atomic_global,  ///< gives back what was there
  reduce_global,
  load_shared,
  store_shared,
  atomic_shared,
  compare_and_swap_shared,  ///< that tells whether it swapped: the heart of a loop
  load_local,
  store_local,
  load_generic,
  store_generic,
  atomic_generic,
  copy_global_to_shared,  ///< cp.async
  load_matrix,
  store_matrix,
  increment_shared,  ///< adds the number of lanes
  count_lanes,       ///< no access: how a warp adds up what its lanes would add to one address
  branch,            ///< no access either: a jump, or the end of a thread
};

/// Whether it changes what was in memory, by what was there.
constexpr bool is_atomic(MachineOperation operation) {
  using enum MachineOperation;
  return operation == atomic_global || operation == reduce_global || operation == atomic_shared ||
         operation == compare_and_swap_shared || operation == increment_shared || operation == atomic_generic;
}

/// Whether it accesses memory whose accesses are counted: any but local memory.
constexpr bool is_counted(MachineOperation operation) {
  using enum MachineOperation;
  return operation != count_lanes && operation != branch && operation != load_local &&
         operation != store_local;
}

struct MachineInstruction {
  MachineOperation operation{};
  int bytes = 0;         ///< per lane; 0 if that is not known
  bool guarded = false;  ///< a warp executes it even if its guard then leaves no lane
  bool never = false;    ///< its guard is a constant: no lane ever executes it
};

inline constexpr std::uint64_t machine_instruction_bytes = 16;

/// Decodes one instruction.
/// @return nothing if it is none of those above
std::optional<MachineInstruction> decode_machine(std::span<const std::byte, machine_instruction_bytes> bytes);

}  // namespace weft
