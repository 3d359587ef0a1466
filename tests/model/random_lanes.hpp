#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <random>

#include "model/access.hpp"

inline constexpr int widths[] = {1, 2, 4, 8, 16};
inline constexpr int random_cases = 2000;

/// What each lane accesses, before the width is known.
using Elements = std::array<weft::model::Element, weft::model::warp_size>;

inline weft::model::Lanes lanes_of(int width, const Elements& elements) {
  return {width, [&](int lane) { return elements[static_cast<std::size_t>(lane)]; }};
}

inline std::int64_t active_lanes(const Elements& elements) {
  return std::ranges::count_if(elements, [](const auto& element) { return bool(element); });
}

/// Calls `check(elements)` for random accesses, the same in every run: spread over few or many elements, with
/// all lanes, most or few of them active, and often with equal neighbours.
template <class Check>
void for_random_elements(int cases, Check check) {
  std::mt19937_64 random(20240601);
  const auto below = [&](std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
  };
  for (int i = 0; i < cases; ++i) {
    const std::int64_t spread = std::int64_t{1} << below(12);
    const std::int64_t active_of_8 = 1 + below(8);
    const int shared_bits =
        static_cast<int>(below(4));  // lanes that differ in these bits only want the same element
    Elements elements;
    for (std::size_t lane = 0; lane < elements.size(); ++lane) {
      const std::size_t owner = lane & ~static_cast<std::size_t>(shared_bits);
      elements[lane] = owner == lane || !elements[owner] ? below(spread) : elements[owner];
    }
    for (auto& element : elements) {
      if (below(8) >= active_of_8) element = {};
    }
    check(elements);
  }
}
