/// @file
/// Arithmetic of f16 and bf16 with modifiers that programs seldom use, and approximations.

#include <cmath>

#include "emulator/portable/all.hpp"
#include "emulator/vector/half_rules.hpp"

namespace weft::emulator::WEFT_ISA {
namespace {

template <class Function, class... Zero>
void add_saturated(Table& table, const char* name, Function, Zero... zeros) {
  add_both(table, name, ".sat", false, Rounded<Half, Function, false, Bound::sat>{}, zeros...);
  add_both(table, name, ".ftz.sat", false, Rounded<Half, Function, true, Bound::sat>{}, zeros...);
}

/// `fma` that makes zeros of negative results.
void add_rectified(Table& table) {
  using Fused = decltype(fused);
  add_both(table, "fma.rn", ".relu", false, Rounded<Half, Fused, false, Bound::relu>{}, 1, 2, 3);
  add_both(table, "fma.rn", ".ftz.relu", false, Rounded<Half, Fused, true, Bound::relu>{}, 1, 2, 3);
  add_both(table, "fma.rn", ".relu", true, Rounded<Bfloat, Fused, false, Bound::relu>{}, 1, 2, 3);
}

/// `min` and `max` of magnitudes, and those that make zeros of subnormals first.
template <class Function>
void add_minimum_or_maximum(Table& table, const char* name, Function) {
  using Nan = PassingNan<Function>;
  const auto flushing = [&]<class Choice>(const char* modifiers, Choice) {
    add_both(table, name, modifiers, false, Rounded<Half, Choice, true, Bound::none>{}, 1, 2);
  };
  add_choice(table, name, ".xorsign.abs", OfMagnitudes<Function>{}, 1, 2);
  add_choice(table, name, ".NaN.xorsign.abs", OfMagnitudes<Nan>{}, 1, 2);
  flushing(".ftz", Function{});
  flushing(".ftz.NaN", Nan{});
  flushing(".ftz.xorsign.abs", OfMagnitudes<Function>{});
  flushing(".ftz.NaN.xorsign.abs", OfMagnitudes<Nan>{});
}

/// `neg` and `abs` that make zeros of subnormals first.
void add_signs(Table& table) {
  add_both(table, "neg", ".ftz", false, Rounded<Half, decltype(opposite), true, Bound::none>{}, 1);
  add_both(table, "abs", ".ftz", false, Rounded<Half, decltype(magnitude), true, Bound::none>{}, 1);
}

void add_approximations(Table& table) {
  const auto power = [](double a) { return std::exp2(a); };
  add_choice(table, "tanh", ".approx", [](double a) { return std::tanh(a); }, 1);
  add_choice(table, "ex2", ".approx", power, 1);
  add_both(table, "ex2", ".approx.ftz", true, Rounded<Bfloat, decltype(power), true, Bound::none>{}, 1);
}

}  // namespace

void add_half_with_modifiers(Table& table) {
  add_saturated(table, "add", sum, 1, 2);
  add_saturated(table, "sub", difference, 1, 2);
  add_saturated(table, "mul", product, 1, 2);
  add_saturated(table, "fma.rn", fused, 1, 2, 3);
  add_rectified(table);
  add_minimum_or_maximum(table, "min", smaller);
  add_minimum_or_maximum(table, "max", larger);
  add_signs(table);
  add_approximations(table);
}

}  // namespace weft::emulator::WEFT_ISA
