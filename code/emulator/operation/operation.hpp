#pragma once

/// @file
/// The executable form of an instruction.

#include <array>
#include <cstdint>

namespace weft::emulator {

struct Operation;
struct Warp;

/// Executes one operation for a warp's active lanes.
/// @return the operation to go on with, or nullptr if the warp cannot go on for now
using Handler = const Operation* (*)(Warp& warp, const Operation& operation);

/// One step of a routine. A slot is an offset into the warp's frame, in bytes: there lie the 32 lanes' values
/// of a register one after the other, 4, 8 or 16 bytes each, or the 32 bits of a predicate.
struct Operation {
  Handler run = nullptr;
  std::array<std::uint32_t, 6> slots{};  ///< results first, then operands
  const void* more = nullptr;            ///< what does not fit here; its type is the handler's matter
  std::uint64_t immediate = 0;           ///< of an access: the offset of its address
  const Operation* target = nullptr;     ///< of a branch
  /// Of an access to memory: its index in the program's sites. Of a branch: one more than that of the site
  /// that notes whether it divides a warp, or 0.
  std::uint32_t site = 0;
  std::int32_t join = 0;  ///< of a branch: operations from here to where its sides meet; 0 if never
};
static_assert(sizeof(Operation) == 64);

}  // namespace weft::emulator
