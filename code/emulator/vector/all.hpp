#pragma once

/// @file
/// What each file of this folder adds to the table.

#include "emulator/operation/table.hpp"

namespace weft::emulator::WEFT_ISA {

void add_integer(Table& table);           ///< arithmetic of integers, and on bits
void add_floating(Table& table);          ///< arithmetic of float and double
void add_half(Table& table);              ///< arithmetic of f16 and bf16
void add_comparison(Table& table);        ///< setp, selp, slct
void add_usual_conversion(Table& table);  ///< conversions that many programs need
void add_memory(Table& table);            ///< loads and stores
void add_matrix(Table& table);            ///< products of matrices
void add_warpgroup(Table& table);         ///< the same by four warps

}  // namespace weft::emulator::WEFT_ISA
