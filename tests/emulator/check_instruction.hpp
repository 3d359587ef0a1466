#pragma once

/// @file
/// Holding one instruction against C++, for words at which arithmetic changes its ways.

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "run_ptx.hpp"

namespace weft::emulator {

using Words = std::vector<std::uint32_t>;

/// 32 words, among them those at which arithmetic changes its ways.
inline Words difficult_words(std::uint32_t seed) {
  const Words edges{0,          1,          0x7fffffff, 0x80000000, 0xffffffff, 31,
                    32,         33,         0x00000001, 0x007fffff, 0x00800000, 0x7f7fffff,
                    0x7f800000, 0xff800000, 0x7fc00000, 0x3f800000};
  Words words(32);
  std::mt19937 random(seed);
  for (std::uint32_t& word : words) word = random() % 2 == 0 ? edges[random() % edges.size()] : random();
  return words;
}

/// Pieces of PTX, one behind the other.
inline std::string joined(std::initializer_list<std::string_view> pieces) {
  std::string text;
  for (const std::string_view piece : pieces) text += piece;
  return text;
}

/// Holds an instruction against a function of its operands' bits, for many words.
template <class Function>
void check(const std::string& instruction, Function expected) {
  for (std::uint32_t seed = 0; seed < 8; ++seed) {
    const Words a = difficult_words(3 * seed);
    const Words b = difficult_words(3 * seed + 1);
    const Words c = difficult_words(3 * seed + 2);
    const Words got = execute(instruction, a, b, c);
    for (std::size_t lane = 0; lane < 32; ++lane) {
      CAPTURE(instruction);
      CAPTURE(a[lane]);
      CAPTURE(b[lane]);
      CAPTURE(c[lane]);
      CHECK(got[lane] == static_cast<std::uint32_t>(expected(a[lane], b[lane], c[lane])));
    }
  }
}

inline float as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }

inline std::uint32_t bits_of(float value) {
  return std::isnan(value) ? 0x7fffffff : std::bit_cast<std::uint32_t>(value);
}

inline std::int32_t as_signed(std::uint32_t bits) { return static_cast<std::int32_t>(bits); }

}  // namespace weft::emulator
