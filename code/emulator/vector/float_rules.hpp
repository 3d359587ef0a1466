#pragma once

/// @file
/// What PTX's modifiers do to floats, and NaNs as the GPU makes them.

#include <bit>
#include <cmath>
#include <cstdint>

#include "emulator/vector/lanes.hpp"

namespace weft::emulator::WEFT_ISA {

/// Where the GPU makes a NaN of floats, it makes this one, whatever came in.
template <class... Operand>
constexpr float canonical(float value, Operand... /*operands*/) {
  return value == value ? value : std::bit_cast<float>(0x7fffffffU);
}

/// Of doubles it hands on the operand's, made quiet; the first one's, if there are several.
template <class... Operand>
constexpr double canonical(double value, Operand... operands) {
  constexpr std::uint64_t quiet = std::uint64_t{1} << 51;
  std::uint64_t bits = 0xfff8000000000000U;
  const std::uint64_t all[] = {std::bit_cast<std::uint64_t>(operands)...};
  for (std::size_t i = sizeof...(operands); i-- > 0;) {
    const auto operand = std::bit_cast<double>(all[i]);
    bits = operand != operand ? all[i] | quiet : bits;
  }
  return value == value ? value : std::bit_cast<double>(bits);
}

/// `.ftz`: a subnormal becomes a zero of its sign.
constexpr float flushed(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>((bits & 0x7f800000U) != 0 ? bits : bits & 0x80000000U);
}

/// `.sat`: clamped to [0, 1]; a NaN becomes 0.
template <class T>
constexpr T saturated(T value) {
  return value > 0 ? (value < 1 ? value : T{1}) : T{0};
}

/// A function of floats with a modifier's treatment of operands and result.
template <class Function, bool flush, bool saturate>
struct Modified {
  template <class... T>
  constexpr auto operator()(T... values) const {
    if constexpr (flush) {
      const auto result = canonical(flushed(Function{}(flushed(values)...)));
      return saturate ? saturated(result) : result;
    } else {
      const auto result = canonical(Function{}(values...), values...);
      return saturate ? saturated(result) : result;
    }
  }
};

// What instructions compute, of floats and doubles alike.
constexpr auto sum = [](auto a, auto b) { return a + b; };
constexpr auto difference = [](auto a, auto b) { return a - b; };
constexpr auto product = [](auto a, auto b) { return a * b; };
constexpr auto multiply_add = [](auto a, auto b, auto c) { return std::fma(a, b, c); };
constexpr auto root = [](auto a) { return std::sqrt(a); };
constexpr auto opposite = [](auto a) { return -a; };
constexpr auto magnitude = [](auto a) { return std::abs(a); };

/// The smaller; a NaN only if both are, and -0 is smaller than 0.
constexpr auto smaller = [](auto a, auto b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
};
constexpr auto larger = [](auto a, auto b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a < b ? b : a;
};

/// `.NaN`: a NaN if one of them is.
template <class Function>
struct PassingNan {
  template <class T>
  constexpr T operator()(T a, T b) const {
    return a != a ? a : (b != b ? b : Function{}(a, b));
  }
};

/// `.xorsign.abs`: of the absolute values; the sign is the product's.
template <class Function>
struct OfMagnitudes {
  template <class T>
  constexpr T operator()(T a, T b) const {
    const T result = Function{}(std::abs(a), std::abs(b));
    return result != result ? result
                            : std::copysign(result, std::signbit(a) != std::signbit(b) ? T{-1} : T{1});
  }
};

}  // namespace weft::emulator::WEFT_ISA
