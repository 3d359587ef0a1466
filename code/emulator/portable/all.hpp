#pragma once

/// @file
/// Arithmetic and conversions that few programs need: compiled once, for every processor. What of it turns
/// out to be frequent the vector code adds again, and so takes its place.

#include "emulator/operation/table.hpp"

namespace weft::emulator {

void add_portable_code(Table& table);

namespace WEFT_ISA {

void add_fields(Table& table);               ///< integer instructions that programs seldom write
void add_carry(Table& table);                ///< add.cc, subc, madc …
void add_rounding(Table& table);             ///< arithmetic of float and double, not to nearest
void add_conversion(Table& table);           ///< between integers, floats and doubles
void add_half_with_modifiers(Table& table);  ///< arithmetic of f16 and bf16 with modifiers
void add_half_conversion(Table& table);      ///< to and from 16 and 8 bits, and those not to nearest

}  // namespace WEFT_ISA
}  // namespace weft::emulator
