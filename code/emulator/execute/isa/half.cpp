/// @file
/// Arithmetic of f16 and bf16. What programs seldom do with them is elsewhere.

#include <cmath>

#include "emulator/execute/isa/all.hpp"
#include "emulator/execute/isa/half_rules.hpp"

namespace weft::emulator::WEFT_ISA {
namespace {

template <class Function, class... Zero>
void add_arithmetic(Table& table, const char* name, Function, Zero... zeros) {
  add_both(table, name, "", false, Rounded<Half, Function, false, Clamp::none>{}, zeros...);
  add_both(table, name, ".ftz", false, Rounded<Half, Function, true, Clamp::none>{}, zeros...);
  add_both(table, name, "", true, Rounded<Bfloat, Function, false, Clamp::none>{}, zeros...);
}

}  // namespace

void add_half(Table& table) {
  add_arithmetic(table, "add", [](double a, double b) { return a + b; }, 1, 2);
  add_arithmetic(table, "sub", [](double a, double b) { return a - b; }, 1, 2);
  add_arithmetic(table, "mul", [](double a, double b) { return a * b; }, 1, 2);
  add_arithmetic(table, "fma.rn", fused, 1, 2, 3);
  add_choice(table, "min", "", smaller, 1, 2);
  add_choice(table, "min", ".NaN", PassingNan<decltype(smaller)>{}, 1, 2);
  add_choice(table, "max", "", larger, 1, 2);
  add_choice(table, "max", ".NaN", PassingNan<decltype(larger)>{}, 1, 2);
  // Changes of the sign alone; but a NaN becomes the usual one.
  add_choice(table, "neg", "", [](double a) { return -a; }, 1);
  add_choice(table, "abs", "", [](double a) { return std::abs(a); }, 1);
}

}  // namespace weft::emulator::WEFT_ISA
