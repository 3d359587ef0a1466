#pragma once

/// @file
/// What the builds for each instruction set add to the table.

#include "emulator/execute/table.hpp"

namespace weft::emulator {

namespace baseline {
void add_integer(Table& table);
void add_floating(Table& table);
void add_comparison(Table& table);
void add_conversion(Table& table);
void add_memory(Table& table);
}  // namespace baseline

namespace avx2 {
void add_integer(Table& table);
void add_floating(Table& table);
void add_comparison(Table& table);
void add_conversion(Table& table);
void add_memory(Table& table);
}  // namespace avx2

namespace avx512 {
void add_integer(Table& table);
void add_floating(Table& table);
void add_comparison(Table& table);
void add_conversion(Table& table);
void add_memory(Table& table);
}  // namespace avx512

}  // namespace weft::emulator
