#include "emulator/execute/seldom/all.hpp"

#include "emulator/execute/handlers.hpp"

namespace weft::emulator {

void add_seldom(Table& table) {
  WEFT_ISA::add_fields(table);
  WEFT_ISA::add_carry(table);
  WEFT_ISA::add_rounding(table);
  WEFT_ISA::add_conversion(table);
  WEFT_ISA::add_seldom_half(table);
  WEFT_ISA::add_half_conversion(table);
}

}  // namespace weft::emulator
