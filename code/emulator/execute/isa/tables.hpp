#pragma once

/// @file
/// What the builds for each instruction set add to the table.

#include "emulator/execute/table.hpp"

namespace weft::emulator {

namespace baseline {
void add_vector_code(Table& table);
}
namespace avx2 {
void add_vector_code(Table& table);
}
namespace avx512 {
void add_vector_code(Table& table);
}

}  // namespace weft::emulator
