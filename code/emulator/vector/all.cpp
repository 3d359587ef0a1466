#include "emulator/vector/all.hpp"

#include "emulator/vector/tables.hpp"

namespace weft::emulator::WEFT_ISA {

void add_vector_code(Table& table) {
  add_integer(table);
  add_floating(table);
  add_half(table);
  add_comparison(table);
  add_usual_conversion(table);
  add_memory(table);
  add_matrix(table);
  add_warpgroup(table);
}

}  // namespace weft::emulator::WEFT_ISA
