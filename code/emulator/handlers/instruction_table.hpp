#pragma once

#include <string_view>

#include "emulator/operation/table.hpp"

namespace weft::emulator {

/// The table for this processor: its handlers use the widest vectors that it has.
/// @throws Error if it lacks the vectors that the emulator was built for, or that WEFT_EMULATOR_ISA asks for
const Table& instruction_table();

/// The name of those vectors: "avx512", "avx2" or "baseline".
std::string_view instruction_set();

}  // namespace weft::emulator
