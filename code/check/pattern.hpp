#pragma once

/// @file
/// The values that checks put into buffers: inputs that follow from an element's index, and poison.

#include <bit>
#include <cstdint>
#include <type_traits>

namespace weft {

/// The unsigned integer that holds the bits of a T of 4 or 8 bytes.
template <typename T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// What an output holds before a launch: a signalling NaN that no arithmetic produces.
template <typename T>
constexpr T poison() {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  if constexpr (sizeof(T) == 4) return std::bit_cast<T>(std::uint32_t{0x7FA5A5A5});
  if constexpr (sizeof(T) == 8) return std::bit_cast<T>(std::uint64_t{0x7FF5A5A5A5A5A5A5});
}

/// What guard zones hold: another signalling NaN, so that a read from a guard shows in the output.
template <typename T>
constexpr T guard() {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  if constexpr (sizeof(T) == 4) return std::bit_cast<T>(std::uint32_t{0x7F8BADAD});
  if constexpr (sizeof(T) == 8) return std::bit_cast<T>(std::uint64_t{0x7FF0BADADBADADBA});
}

/// A permutation of the integers below 2^31: multiplications by odd numbers and shifts, each of which has an
/// inverse.
constexpr std::uint32_t permuted(std::uint32_t x) {
  constexpr std::uint32_t mask = 0x7FFFFFFF;
  x ^= x >> 16;
  x = x * 0x21F0AAAD & mask;
  x ^= x >> 15;
  x = x * 0x735A2D97 & mask;
  return x ^ x >> 16;
}

/// What of an index the hash permutes; what is above changes the salt.
inline constexpr std::uint32_t low_31_bits = 0x7FFFFFFF;

/// One salt for all indices of an aligned range of 2^31.
constexpr std::uint32_t salt_of(std::uint64_t seed, std::int64_t index) {
  const auto high = static_cast<std::uint32_t>(index >> 31);
  return permuted((static_cast<std::uint32_t>(seed) * 0x9E3779B9 + high * 0x85EBCA6B) & low_31_bits);
}

constexpr float hashed_float_of(std::uint32_t low, std::uint32_t salt) {
  const std::uint32_t hash = permuted(low ^ salt);
  const std::uint32_t sign = hash << 31;
  return std::bit_cast<float>(sign | (0x20000000 + (hash >> 1)));  // exponent field from 64 to 191
}

/// The input's element of an index, for a seed: normal and finite, different for all indices of an aligned
/// range of 2^31, and different from seed to seed.
/// @return a float of either sign whose magnitude lies in [2^-63, 2^65)
constexpr float hashed_float(std::uint64_t seed, std::int64_t index) {
  return hashed_float_of(static_cast<std::uint32_t>(index) & low_31_bits, salt_of(seed, index));
}

/// hashed_float() of the indices [first, last), many times as fast.
/// @param first at least 0
void hashed_floats(std::uint64_t seed, std::int64_t first, std::int64_t last, float* values);

}  // namespace weft
