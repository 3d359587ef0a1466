#pragma once

/// @file
/// Why a count need not be what Nsight Compute would count.

#include <cstdint>
#include <string_view>

namespace weft::emulator {

// [reasons]
/// In this order they are told.
enum class Doubt : std::uint8_t {
  machine_code,     ///< it is not known what the machine code does
  no_machine_code,  ///< there is none for the card: its driver would compile the PTX when the program starts
  guards,           ///< instructions without any lane count, too, and where they stand is not known
  unrolled,         ///< lanes leave a loop one after the other that stands there several times
  late,             ///< lanes take a branch before which the PTX loads, and the machine code perhaps not
  ways,             ///< lanes come to the same code by several ways
  many_lines,       ///< atomics for which the rule has exceptions
  local_memory,     ///< its accesses are not counted
  provided,         ///< nor are those of functions that CUDA provides: printf, malloc, free
  schedule,         ///< the order in which warps run decides
};
// [reasons]

/// In plain words.
constexpr std::string_view text_of(Doubt doubt) {
  switch (doubt) {
    case Doubt::machine_code:
      return "not known to be what the machine code does";
    case Doubt::no_machine_code:
      return "the program holds no machine code for this card";
    case Doubt::guards:
      return "instructions of shared memory that no lane executes may be missing; -lineinfo may tell";
    case Doubt::unrolled:
      return "lanes leave a loop at different times that the machine code has several copies of";
    case Doubt::late:
      return "lanes take a branch that the machine code may put before a load";
    case Doubt::ways:
      return "lanes that part come to the same code by several ways, perhaps together";
    case Doubt::many_lines:
      return "of atomics, several lanes at one address and the others in many lines, the rule has exceptions";
    case Doubt::local_memory:
      return "accesses to local memory (arrays, spilled registers) are not counted";
    case Doubt::provided:
      return "what printf, malloc and free access is not counted";
    case Doubt::schedule:
      return "depends on the schedule";
  }
  return {};
}

}  // namespace weft::emulator
