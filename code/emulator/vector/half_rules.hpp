#pragma once

/// @file
/// How arithmetic of f16 and bf16 is done, one at a time and in pairs: computed in double and rounded once.

#include <bit>
#include <cstdint>
#include <type_traits>

#include "emulator/vector/float_rules.hpp"
#include "emulator/vector/lanes.hpp"
#include "emulator/vector/small_float.hpp"

namespace weft::emulator::WEFT_ISA {

/// A function of doubles, applied to a format's bits.
template <class Format, class Function, bool flush, Bound bound>
struct Rounded {
  template <class... Bits>
  std::uint16_t operator()(Bits... bits) const {
    const double result = Function{}(static_cast<double>(Format::template value<flush>(bits))...);
    const std::uint16_t found =
        Format::bits_of(bounded<Format, bound>(rounded<Format, Rounding::rn>(result)));
    constexpr unsigned exponent_bits = Format::one == Half::one ? 0x7c00 : 0x7f80;
    return flush && (found & exponent_bits) == 0 ? found & 0x8000 : found;
  }
};

/// a * b + c, rounded to odd: rounding the result again, to less than half of its bits, gives what rounding
/// once would give. The product of two such values is exact.
inline constexpr auto fused = [](double a, double b, double c) {
  const double product = a * b;
  const double sum = product + c;
  const double of_product = sum - c;
  const double error = (product - of_product) + (c - (sum - of_product));
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  const bool inexact = error < 0 || error > 0;  // with infinities and NaNs it is neither
  const bool outwards = (error > 0) == (sum > 0);
  const std::uint64_t odd = (bits & 1) != 0 ? bits : (outwards ? bits + 1 : bits - 1);
  return std::bit_cast<double>(inexact ? odd : bits);
};

/// Adds `name` + `modifiers` for one format, alone and in pairs.
/// @tparam Function of bits; as many operands as there are in `zeros`
template <class Function, class... Zero>
void add_both(Table& table, const char* name, const char* modifiers, bool bfloat, Function,
              Zero... /*zeros*/) {
  using ptx::Type;
  const auto one = bfloat ? Type::bf16 : Type::f16;
  const auto two = bfloat ? Type::bf16x2 : Type::f16x2;
  table.add({name, modifiers, bfloat ? ".bf16" : ".f16"},
            &compute<Function, std::uint16_t, std::conditional_t<true, std::uint16_t, Zero>...>,
            {one, (static_cast<void>(sizeof(Zero)), one)...});
  table.add({name, modifiers, bfloat ? ".bf16x2" : ".f16x2"},
            &compute<OfHalves<std::uint16_t, Function>, std::uint32_t,
                     std::conditional_t<true, std::uint32_t, Zero>...>,
            {two, (static_cast<void>(sizeof(Zero)), two)...});
}

/// The functions that take no rounding: the result is one of the operands, or its opposite.
template <class Function, class... Zero>
void add_choice(Table& table, const char* name, const char* modifiers, Function, Zero... zeros) {
  add_both(table, name, modifiers, false, Rounded<Half, Function, false, Bound::none>{}, zeros...);
  add_both(table, name, modifiers, true, Rounded<Bfloat, Function, false, Bound::none>{}, zeros...);
}

}  // namespace weft::emulator::WEFT_ISA
