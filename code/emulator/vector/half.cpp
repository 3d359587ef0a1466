/// @file
/// Arithmetic of f16 and bf16. What programs seldom do with them is elsewhere.

#include "emulator/vector/all.hpp"
#include "emulator/vector/half_rules.hpp"

namespace weft::emulator::WEFT_ISA {
namespace {

template <class Function, class... Zero>
void add_arithmetic(Table& table, const char* name, Function, Zero... zeros) {
  add_both(table, name, "", false, Rounded<Half, Function, false, Bound::none>{}, zeros...);
  add_both(table, name, ".ftz", false, Rounded<Half, Function, true, Bound::none>{}, zeros...);
  add_both(table, name, "", true, Rounded<Bfloat, Function, false, Bound::none>{}, zeros...);
}

}  // namespace

void add_half(Table& table) {
  add_arithmetic(table, "add", sum, 1, 2);
  add_arithmetic(table, "sub", difference, 1, 2);
  add_arithmetic(table, "mul", product, 1, 2);
  add_arithmetic(table, "fma.rn", fused, 1, 2, 3);
  add_choice(table, "min", "", smaller, 1, 2);
  add_choice(table, "min", ".NaN", PassingNan<decltype(smaller)>{}, 1, 2);
  add_choice(table, "max", "", larger, 1, 2);
  add_choice(table, "max", ".NaN", PassingNan<decltype(larger)>{}, 1, 2);
  // Changes of the sign alone; but a NaN becomes the usual one.
  add_choice(table, "neg", "", opposite, 1);
  add_choice(table, "abs", "", magnitude, 1);
}

}  // namespace weft::emulator::WEFT_ISA
