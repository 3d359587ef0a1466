#pragma once

/// @file
/// Conversions to and from floats of 16 and 8 bits and tf32.

#include <bit>
#include <cstdint>
#include <type_traits>

#include "emulator/vector/float_rules.hpp"
#include "emulator/vector/small_float.hpp"

namespace weft::emulator::WEFT_ISA {

/// A number as a double. A 64-bit integer that does not fit is rounded to odd, so that rounding once more, to
/// fewer bits, gives what rounding once would give.
template <class T>
double as_double(T value) {
  if constexpr (sizeof(T) == 8 && std::is_integral_v<T>) {
    const bool negative = std::is_signed_v<T> && value < 0;
    auto size = static_cast<std::uint64_t>(value);
    if (negative) size = 0 - size;
    constexpr std::uint64_t lost = (1U << 12) - 1;
    if (size >> 53 != 0) size = (size & ~lost) | ((size & lost) != 0 ? lost + 1 : 0);
    const auto exact = static_cast<double>(size);
    return negative ? -exact : exact;
  } else {
    return static_cast<double>(value);
  }
}

/// A number to the bits of a format.
template <class Format, Rounding rounding, Bound bound = Bound::none>
struct ToBits {
  template <class T>
  auto operator()(T value) const {
    return Format::bits_of(bounded<Format, bound>(rounded<Format, rounding>(as_double(value))));
  }
};

/// Bits of a format to a number of another type, exactly or by `Then`.
template <class Format, class Then>
struct FromBits {
  auto operator()(std::uint16_t bits) const { return Then{}(Format::template value<>(bits)); }
};

/// What f16 or bf16 is as a float.
template <class Format>
struct Exactly {
  float operator()(float value) const { return Format::one == Half::one ? canonical(value) : value; }
};

/// Two numbers to a pair: the first one is the upper.
template <class Convert, int width>
struct ToPair {
  std::uint32_t operator()(float upper, float lower) const {
    return static_cast<std::uint32_t>(Convert{}(lower)) | static_cast<std::uint32_t>(Convert{}(upper))
                                                              << width;
  }
};

/// A NaN keeps the bits that the format has.
template <Rounding rounding, Bound bound>
struct ToTensor32 {
  float operator()(float value) const {
    const auto kept = std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & ~0x1fffU);
    const double found = bounded<Tensor32, bound>(rounded<Tensor32, rounding>(double{value}));
    return value == value ? static_cast<float>(found) : kept;
  }
};

}  // namespace weft::emulator::WEFT_ISA
