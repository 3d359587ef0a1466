#pragma once

/// @file
/// What a tensor core does with one block of products.
///
/// Integers are exact by PTX's rules; doubles are fused multiply-adds in the order of the depth. For f16,
/// bf16 and tf32 PTX leaves the sum open. Here it is what is published of Hopper's tensor cores: the products
/// are exact; those of one block (16 deep, tf32: 8) and the accumulator are cut towards zero at 25 bits below
/// the largest of their exponents, and added up; the sum is cut to a float, or rounded to the nearest f16.
/// Blocks follow each other. No document of NVIDIA's says so, but what an H200 gave for mma.sync is this to
/// the last bit (tests/emulator/differential). Other cards' sums differ in their last bits.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "emulator/vector/float_rules.hpp"
#include "emulator/vector/small_float.hpp"

namespace weft::emulator::WEFT_ISA {

inline constexpr int most_elements = 32 * 16;  ///< of one operand
inline constexpr int group = 8;                ///< columns that are computed at once

template <class T>
struct SmallElement {
  using Format = T;
  static constexpr int per_register = 2;
  static constexpr int block = 16;
  static float value(std::uint32_t bits, int i) {
    return Format::value(static_cast<std::uint16_t>(bits >> (16 * i)));
  }
};

using HalfElement = SmallElement<Half>;
using BfloatElement = SmallElement<Bfloat>;

/// The lowest 13 bits do not count.
struct Tensor32Element {
  using Format = Tensor32;
  static constexpr int per_register = 1;
  static constexpr int block = 8;
  static float value(std::uint32_t bits, int /*i*/) { return std::bit_cast<float>(bits & ~0x1fffU); }
};

/// An operand's elements, with the exponents that the hardware aligns by: a subnormal has its format's
/// lowest.
struct Operand {
  std::array<double, most_elements> values{};
  std::array<std::int32_t, most_elements> exponents{};
};

inline constexpr std::int32_t no_exponent = -5000;  ///< a zero's
inline constexpr int kept_bits = 25;                ///< below the largest exponent

inline std::int32_t exponent_of(float value, int lowest) {
  const auto field = static_cast<int>(std::bit_cast<std::uint32_t>(value) >> 23 & 0xff);
  return value == 0 ? no_exponent : std::max(field - 127, lowest);
}

template <class Type>
void put(Operand& operand, std::size_t at, std::uint32_t bits, int i) {
  const float value = Type::value(bits, i);
  operand.values[at] = value;
  operand.exponents[at] = exponent_of(value, Type::Format::lowest_exponent);
}

/// Adds one block's products for `group` neighbouring columns.
/// @param a, a_exponents of one row, `depth` of them
/// @param b, b_exponents of one row after the other, `pitch` apart
template <bool to_half>
void add_block(std::array<double, group>& sums, const double* a, const std::int32_t* a_exponents,
               const double* b, const std::int32_t* b_exponents, int depth, int pitch) {
  std::array<std::int32_t, group> largest{};
  std::array<double, group> totals{};
  std::array<double, group> scale{};
  std::array<double, group> unit{};
  std::array<double, group> plain = sums;
  for (int n = 0; n < group; ++n)
    largest[n] = exponent_of(static_cast<float>(sums[n]), Single::lowest_exponent);
  for (int k = 0; k < depth; ++k) {
    for (int n = 0; n < group; ++n) {
      const std::int32_t exponent = a_exponents[k] + b_exponents[k * pitch + n];
      largest[n] = exponent > largest[n] ? exponent : largest[n];
    }
  }
  for (int n = 0; n < group; ++n) {
    const std::int64_t exponent = std::max(largest[n], -400);
    unit[n] = std::bit_cast<double>((exponent - kept_bits + 1023) << 52);
    scale[n] = std::bit_cast<double>((kept_bits - exponent + 1023) << 52);
    totals[n] = std::trunc(sums[n] * scale[n]);
  }
  for (int k = 0; k < depth; ++k) {
    for (int n = 0; n < group; ++n) {
      const double product = a[k] * b[k * pitch + n];
      plain[n] += product;
      totals[n] += std::trunc(product * scale[n]);
    }
  }
  for (int n = 0; n < group; ++n) {
    const bool finite = plain[n] - plain[n] == 0;
    const double sum = finite ? totals[n] * unit[n] : plain[n];
    sums[n] = to_half ? rounded<Half, Rounding::rn>(sum) : rounded<Single, Rounding::rz>(sum);
  }
}

}  // namespace weft::emulator::WEFT_ISA
