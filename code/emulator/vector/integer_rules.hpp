#pragma once

/// @file
/// What arithmetic of integers needs beyond what C++ has: products of twice the width, clamped sums.

#include <cstdint>

#include "emulator/vector/lanes.hpp"

namespace weft::emulator::WEFT_ISA {

/// The type of twice the width.
template <class T>
struct Double;
template <>
struct Double<std::uint16_t> {
  using Type = std::uint32_t;
};
template <>
struct Double<std::int16_t> {
  using Type = std::int32_t;
};
template <>
struct Double<std::uint32_t> {
  using Type = std::uint64_t;
};
template <>
struct Double<std::int32_t> {
  using Type = std::int64_t;
};
__extension__ using Unsigned128 = unsigned __int128;
__extension__ using Signed128 = __int128;
template <>
struct Double<std::uint64_t> {
  using Type = Unsigned128;
};
template <>
struct Double<std::int64_t> {
  using Type = Signed128;
};

template <class T>
constexpr int width_of = sizeof(T) * 8;

template <class T>
constexpr T high_product(T a, T b) {
  using Wide = Double<T>::Type;
  return static_cast<T>((static_cast<Wide>(a) * static_cast<Wide>(b)) >> width_of<T>);
}

/// `.sat`: the nearest number that 32 bits hold.
constexpr std::int32_t clamped(std::int64_t value) {
  return static_cast<std::int32_t>(value > INT32_MAX ? INT32_MAX : (value < INT32_MIN ? INT32_MIN : value));
}

}  // namespace weft::emulator::WEFT_ISA
