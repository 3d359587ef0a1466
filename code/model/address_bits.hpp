#pragma once

/// @file
/// Two lines of a page, by the bits in which their addresses differ.

#include <bit>
#include <cstdint>

#include "model/refuse.hpp"

namespace weft::model {

inline constexpr int first_line_bit = 7;  ///< of an address: below it lie the bytes of a line
inline constexpr int page_bits = 21;      ///< of an address: above them lies the number of its page

/// Whether an odd number of the bits under a mask differ.
constexpr bool is_odd(std::uint32_t difference, std::uint32_t mask) {
  return std::popcount(difference & mask) % 2 == 1;
}

/// Of all differences of two lines of a page, those in which each of some parities is as it is given. None of
/// these is the sum of others; `odd` of them are given as odd.
/// @throws std::invalid_argument if there are more parities than bits, or more odd ones than parities
constexpr int differences_with(int parities, int odd) {
  constexpr int bits = page_bits - first_line_bit;
  if (parities < 0 || parities > bits || odd < 0 || odd > parities)
    refuse("parities are of the bits of lines");
  // Each of them halves the differences. A line and itself are no two lines: in their difference all are
  // even.
  return (1 << (bits - parities)) - (odd == 0 ? 1 : 0);
}

}  // namespace weft::model
