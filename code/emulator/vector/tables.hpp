#pragma once

/// @file
/// What the builds for each instruction set add to the table; a null pointer if one is not linked in.

#include "emulator/operation/table.hpp"

namespace weft::emulator {

namespace baseline {
[[gnu::weak]] void add_vector_code(Table& table);
}
namespace avx2 {
[[gnu::weak]] void add_vector_code(Table& table);
}
namespace avx512 {
[[gnu::weak]] void add_vector_code(Table& table);
}

}  // namespace weft::emulator
