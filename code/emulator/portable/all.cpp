#include "emulator/portable/all.hpp"

namespace weft::emulator {

void add_portable_code(Table& table) {
  WEFT_ISA::add_fields(table);
  WEFT_ISA::add_carry(table);
  WEFT_ISA::add_rounding(table);
  WEFT_ISA::add_conversion(table);
  WEFT_ISA::add_half_with_modifiers(table);
  WEFT_ISA::add_half_conversion(table);
}

}  // namespace weft::emulator
