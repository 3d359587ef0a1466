#pragma once

/// @file
/// Conversions to integers.

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "emulator/vector/lanes.hpp"

namespace weft::emulator::WEFT_ISA {

/// An integer that does not fit is cut, or with `.sat` clamped.
template <class To, class From, bool saturate>
struct Integer {
  constexpr To operator()(From value) const {
    if constexpr (saturate) {
      if (std::cmp_less(value, std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
      if (std::cmp_greater(value, std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    }
    return static_cast<To>(value);
  }
};

/// What a NaN becomes: 0, or where 64 bits are on either side the topmost bit alone.
template <class To, class From>
constexpr To whole_nan = sizeof(From) == 8 || sizeof(To) == 8
                             ? static_cast<To>(std::make_unsigned_t<To>{1} << (sizeof(To) * 8 - 1))
                             : To{0};

/// Rounds to a whole number, and clamps to what an integer holds.
template <class To, class From, class Round>
struct Whole {
  constexpr To operator()(From value) const {
    const From rounded = Round{}(value);
    constexpr To half =
        std::numeric_limits<To>::max() - std::numeric_limits<To>::max() / 2;  // a power of two
    constexpr From lowest = static_cast<From>(std::numeric_limits<To>::min());
    constexpr From too_high = static_cast<From>(half) * 2;
    if (!(rounded > lowest)) return value == value ? std::numeric_limits<To>::min() : whole_nan<To, From>;
    return rounded < too_high ? static_cast<To>(rounded) : std::numeric_limits<To>::max();
  }
};

constexpr auto nearest = [](auto a) { return std::nearbyint(a); };
constexpr auto towards_zero = [](auto a) { return std::trunc(a); };
constexpr auto down = [](auto a) { return std::floor(a); };
constexpr auto up = [](auto a) { return std::ceil(a); };

}  // namespace weft::emulator::WEFT_ISA
