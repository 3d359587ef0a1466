/// @file
/// Arithmetic of float and double in the other directions of rounding: towards zero, down and up.

#include <cfenv>

#include "emulator/portable/all.hpp"
#include "emulator/vector/families.hpp"
#include "emulator/vector/float_rules.hpp"

namespace weft::emulator::WEFT_ISA {
namespace {

/// The processor's direction of rounding, for the time of one operation. A call that may change any memory:
/// no arithmetic on the warp's frame moves across it.
class Direction {
 public:
  explicit Direction(int direction) { std::fesetround(direction); }
  Direction(const Direction&) = delete;
  Direction& operator=(const Direction&) = delete;
  ~Direction() { std::fesetround(FE_TONEAREST); }
};

template <int direction, class Function, class... T>
const Operation* compute_directed(Warp& warp, const Operation& operation) {
  const Direction rounding(direction);
  return compute<Function, T...>(warp, operation);
}

template <int direction, class Function, class... Operand>
void add_direction(Table& table, const char* name, const char* suffix, Function, Operand...) {
  using ptx::Type;
  const auto add = [&](const char* modifier, auto modified) {
    table.add(
        {name, suffix, modifier},
        &compute_directed<direction, decltype(modified), float, std::conditional_t<true, float, Operand>...>,
        {Type::f32, (static_cast<void>(sizeof(Operand)), Type::f32)...});
  };
  add(".f32", Modified<Function, false, false>{});
  add(".ftz.f32", Modified<Function, true, false>{});
  add(".sat.f32", Modified<Function, false, true>{});
  add(".ftz.sat.f32", Modified<Function, true, true>{});
  table.add({name, suffix, ".f64"},
            &compute_directed<direction, Modified<Function, false, false>, double,
                              std::conditional_t<true, double, Operand>...>,
            {Type::f64, (static_cast<void>(sizeof(Operand)), Type::f64)...});
}

/// @param operands as many as the function has
template <class Function, class... Operand>
void add_directions(Table& table, const char* name, Function function, Operand... operands) {
  add_direction<FE_TOWARDZERO>(table, name, ".rz", function, operands...);
  add_direction<FE_DOWNWARD>(table, name, ".rm", function, operands...);
  add_direction<FE_UPWARD>(table, name, ".rp", function, operands...);
}

}  // namespace

void add_rounding(Table& table) {
  add_directions(table, "add", sum, 1, 2);
  add_directions(table, "sub", difference, 1, 2);
  add_directions(table, "mul", product, 1, 2);
  add_directions(table, "div", [](auto a, auto b) { return a / b; }, 1, 2);
  add_directions(table, "fma", multiply_add, 1, 2, 3);
  add_directions(table, "mad", multiply_add, 1, 2, 3);
  add_directions(table, "rcp", [](auto a) { return decltype(a){1} / a; }, 1);
  add_directions(table, "sqrt", root, 1);
}

}  // namespace weft::emulator::WEFT_ISA
