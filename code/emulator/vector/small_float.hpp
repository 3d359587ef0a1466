#pragma once

/// @file
/// Formats of floats that the processor does not compute with: what a value is rounded to, and its bits.
///
/// All arithmetic goes through double, which holds every value of these formats. A result is first rounded to
/// what the format can hold, still as a double, and then packed.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "emulator/vector/float_rules.hpp"

namespace weft::emulator::WEFT_ISA {

/// PTX's directions of rounding: nearest even, nearest away from zero, towards zero, down, up.
enum class Rounding : std::uint8_t { rn, rna, rz, rm, rp };

template <Rounding rounding>
inline double whole(double value) {
  switch (rounding) {
    case Rounding::rn: {
      constexpr double shift = 0x1.8p52;  // too large for fractions; only numbers below 2^51 come here
      return std::abs(value) < 0x1p51 ? value + shift - shift : value;
    }
    case Rounding::rna: {
      const double cut = std::trunc(value);
      return std::abs(value - cut) >= 0.5 ? cut + std::copysign(1.0, value) : cut;
    }
    case Rounding::rz:
      return std::trunc(value);
    case Rounding::rm:
      return std::floor(value);
    case Rounding::rp:
      return std::ceil(value);
  }
  return value;
}

/// Rounds to a format's values. What lies beyond the largest becomes infinite, or the largest, as IEEE 754
/// says.
/// @tparam Format has `precision`, `lowest_exponent` (of normal values) and `largest`
template <class Format, Rounding rounding>
inline double rounded(double value) {
  constexpr int fraction_bits = 52;
  constexpr std::uint64_t lowest = static_cast<std::uint64_t>(Format::lowest_exponent + 1023)
                                   << fraction_bits;
  constexpr std::uint64_t below = static_cast<std::uint64_t>(Format::precision - 1) << fraction_bits;
  const std::uint64_t exponent = std::bit_cast<std::uint64_t>(value) & 0x7ff0000000000000U;
  const std::uint64_t unit_bits = (exponent > lowest ? exponent : lowest) - below;
  const auto unit = std::bit_cast<double>(unit_bits);  // of the last place
  const auto inverse = std::bit_cast<double>((std::uint64_t{2046} << fraction_bits) - unit_bits);
  const double result = std::copysign(whole<rounding>(value * inverse) * unit, value);
  if (!(std::abs(result) > Format::largest)) return result;
  const bool cut = rounding == Rounding::rz || (rounding == Rounding::rm && value > 0) ||
                   (rounding == Rounding::rp && value < 0);
  const bool infinite = std::abs(value) > std::numeric_limits<double>::max();
  return std::copysign(cut && !infinite ? Format::largest : std::numeric_limits<double>::infinity(), value);
}

/// What PTX's modifiers clamp a result to: `.sat`, `.relu`, `.satfinite`.
enum class Bound : std::uint8_t { none, sat, relu, finite, relu_finite };

template <class Format, Bound bound>
double bounded(double value) {
  if (bound == Bound::sat) return saturated(value);
  if ((bound == Bound::relu || bound == Bound::relu_finite) && value <= 0) value = 0;
  if ((bound == Bound::finite || bound == Bound::relu_finite) && value == value)
    value = std::clamp(value, -Format::largest, Format::largest);
  return value;
}

/// IEEE 754's binary16, PTX's f16.
struct Half {
  static constexpr int precision = 11;
  static constexpr int lowest_exponent = -14;
  static constexpr double largest = 65504;
  static constexpr std::uint16_t nan = 0x7fff;
  static constexpr std::uint16_t one = 0x3c00;

  template <bool flush = false>
  static constexpr float value(std::uint16_t bits) {
    const std::uint32_t magnitude = (bits & 0x7fffU) << 13;
    const bool zero = flush && magnitude < (1U << 23);
    const bool special = magnitude >= 0x1fU << 23;  // infinite, or no number
    const auto scaled = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112F);
    const std::uint32_t found = zero ? 0 : (special ? magnitude | 0x7f800000U : scaled);
    return std::bit_cast<float>(found | (bits & 0x8000U) << 16);
  }

  /// @param number one that the format has
  static constexpr std::uint16_t bits_of(double number) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(number));
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    const auto size = std::bit_cast<float>(magnitude);
    const auto small = static_cast<std::uint32_t>(static_cast<std::int32_t>((size < 1 ? size : 0) * 0x1p24F));
    const std::uint32_t normal = magnitude >= 0x7f800000U ? 0x7c00U : (magnitude >> 13) - (112U << 10);
    const std::uint32_t found = (magnitude < 0x38800000U ? small : normal) | (bits >> 16 & 0x8000U);
    return static_cast<std::uint16_t>(number == number ? found : nan);
  }
};

/// The upper half of a float, PTX's bf16.
struct Bfloat {
  static constexpr int precision = 8;
  static constexpr int lowest_exponent = -126;
  static constexpr double largest = 0x1.fep127;
  static constexpr std::uint16_t nan = 0x7fff;
  static constexpr std::uint16_t one = 0x3f80;

  template <bool flush = false>
  static constexpr float value(std::uint16_t bits) {
    const std::uint32_t kept = flush && (bits & 0x7f80U) == 0 ? bits & 0x8000U : bits;
    return std::bit_cast<float>(kept << 16);
  }

  static constexpr std::uint16_t bits_of(double number) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(number));
    return static_cast<std::uint16_t>(number == number ? bits >> 16 : nan);
  }
};

/// A float with a fraction of 10 bits, PTX's tf32; it is kept as a float.
struct Tensor32 {
  static constexpr int precision = 11;
  static constexpr int lowest_exponent = -126;
  static constexpr double largest = 0x1.ffcp127;
};

/// A float: for conversions that do not round to nearest.
struct Single {
  static constexpr int precision = 24;
  static constexpr int lowest_exponent = -126;
  static constexpr double largest = 0x1.fffffep127;
};

/// 8 bits with an exponent of 4 (largest 448, no infinity) or of 5 bits.
template <int exponent_bits>
struct Quarter {
  static constexpr int precision = 8 - exponent_bits;
  static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  static constexpr int lowest_exponent = 1 - bias;
  static constexpr double largest = exponent_bits == 4 ? 448 : 57344;
  static constexpr std::uint8_t nan = 0x7f;

  static constexpr float value(std::uint8_t bits) {
    constexpr int fraction_bits = precision - 1;
    const int field = bits >> fraction_bits & ((1 << exponent_bits) - 1);
    const int fraction = bits & ((1 << fraction_bits) - 1);
    const bool last = field == (1 << exponent_bits) - 1;
    float size = 0;
    if (exponent_bits == 4 ? (bits & 0x7f) == 0x7f : last && fraction != 0) {
      size = std::bit_cast<float>(0x7fffffffU);
    } else if (exponent_bits == 5 && last) {
      size = std::numeric_limits<float>::infinity();
    } else {
      const int significand = field == 0 ? fraction : fraction | 1 << fraction_bits;
      const int power = (field == 0 ? 1 : field) - bias - fraction_bits;
      size = static_cast<float>(significand) *
             std::bit_cast<float>(static_cast<std::uint32_t>(power + 127) << 23);
    }
    return (bits & 0x80) != 0 ? -size : size;
  }

  /// @param number a finite one that the format has, or none
  static std::uint8_t bits_of(double number) {
    if (number != number) return nan;
    constexpr int fraction_bits = precision - 1;
    const auto sign = static_cast<std::uint32_t>(std::signbit(number)) << 7;
    const double size = std::abs(number);
    int power = 0;
    std::frexp(size, &power);
    const bool small = size < std::ldexp(1.0, lowest_exponent);
    const int exponent = small ? lowest_exponent : power - 1;
    const auto significand = static_cast<std::uint32_t>(std::ldexp(size, fraction_bits - exponent));
    const auto field = static_cast<std::uint32_t>(small ? 0 : exponent + bias);
    return static_cast<std::uint8_t>(sign | field << fraction_bits |
                                     (significand & ((1U << fraction_bits) - 1)));
  }
};

using E4m3 = Quarter<4>;
using E5m2 = Quarter<5>;

}  // namespace weft::emulator::WEFT_ISA
