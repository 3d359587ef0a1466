#pragma once

/// @file
/// What each file of this folder adds to the table.

#include "emulator/execute/table.hpp"

namespace weft::emulator::WEFT_ISA {

void add_integer(Table& table);          ///< arithmetic of integers, and on bits
void add_fields(Table& table);           ///< integer instructions that programs seldom write
void add_carry(Table& table);            ///< add.cc, subc, madc …
void add_floating(Table& table);         ///< arithmetic of float and double
void add_rounding(Table& table);         ///< the same, not to nearest
void add_half(Table& table);             ///< arithmetic of f16 and bf16
void add_comparison(Table& table);       ///< setp, selp, slct
void add_conversion(Table& table);       ///< between integers, floats and doubles
void add_half_conversion(Table& table);  ///< to and from 16 and 8 bits, and those not to nearest
void add_memory(Table& table);           ///< loads and stores
void add_matrix(Table& table);           ///< products of matrices
void add_warpgroup(Table& table);        ///< the same by four warps

}  // namespace weft::emulator::WEFT_ISA
