#pragma once

/// @file
/// Inputs of products whose sums are exact in any order.

#include <bit>
#include <cstdint>

#include "check/pattern.hpp"

namespace weft {

/// An integer from -8 to 7, as a float: the sum of 2^18 products of two of them is still exact.
constexpr float small_integer(std::uint64_t seed, std::int64_t index) {
  const auto bits = std::bit_cast<std::uint32_t>(hashed_float(seed, index));
  return static_cast<float>(static_cast<int>(bits >> 8 & 15U) - 8);
}

/// The same for the second of two factors.
constexpr float small_integer_of_second(std::uint64_t seed, std::int64_t index) {
  constexpr std::uint64_t salt = 1000;  // what the seed of the second has more than that of the first
  return small_integer(seed + salt, index);
}

}  // namespace weft
