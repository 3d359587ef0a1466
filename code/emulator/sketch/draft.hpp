#pragma once

/// @file
/// A routine on its way from PTX to executable form: operations on virtual slots, of which there are as many
/// as wanted.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "emulator/operation/operation.hpp"
#include "emulator/operation/routine.hpp"

namespace weft::emulator {

/// A register to be: what will be a slot of the frame.
struct VirtualSlot {
  int bytes = 4;  ///< of a lane: 4, 8 or 16; a predicate's 32 lanes are one word
  bool predicate = false;
  bool fixed = false;  ///< holds a constant, from start to end
};

/// How control leaves an operation.
enum class Flow : std::uint8_t {
  next,
  jump,    ///< to one place, for all lanes
  branch,  ///< to one of several places, each lane for itself
  leave,   ///< out of the routine
};

/// An operation whose slots are numbers of virtual slots.
struct Draft {
  Handler run = nullptr;
  std::vector<std::uint32_t> results;   ///< what it writes
  std::vector<std::uint32_t> operands;  ///< what it reads
  bool listed = false;                  ///< slots are in a list of their own: there are too many
  std::uint64_t immediate = 0;
  const void* more = nullptr;
  std::uint32_t site = 0;
  Use use = Use::compute;
  std::uint8_t moved_bytes = 0;  ///< of Use::move, from each slot
  bool pure = false;             ///< the results come from the operands alone, and nothing else changes
  Flow flow = Flow::next;
  bool uniform = false;                ///< a branch that never divides a warp
  std::optional<Doubt> doubt;          ///< of what is counted if it does
  std::vector<std::uint32_t> targets;  ///< labels; a conditional branch also goes on behind itself
  std::uint32_t instruction = 0;       ///< of the PTX function
  std::uint32_t stands_for = 0;        ///< how many instructions count as executed with it
};

/// A routine in draft.
struct Sketch {
  std::vector<VirtualSlot> slots;
  std::vector<Draft> drafts;
  std::vector<std::uint32_t> labels;  ///< where each label is: an index into drafts
};

}  // namespace weft::emulator
