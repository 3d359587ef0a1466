#pragma once

/// @file
/// Loads past the L2, one after the other, each stamped: which of them are slow?

#include <algorithm>
#include <vector>

#include "past_l2.hpp"

namespace weft {

// [stamped]
inline constexpr std::int64_t pause = 1400;  // cycles from load to load at least, and twice as many at most

/// A number that looks like a random one.
__device__ inline std::int64_t mixed(std::int64_t number) {
  return (number * 0x9E3779B97F4A7C15 >> 40) & 0xFFFF;
}

/// Waits until a load is due: loads in step with the refresh would meet every refresh, or none.
/// @param stamps takes when the load was asked for, and how many cycles it took
/// @return when the next load is due
__device__ inline std::int64_t stamped_load(const std::uint32_t* line, std::int64_t load, std::int64_t due,
                                            std::int64_t* stamps) {
  while (clock64() < due) continue;
  const std::int64_t asked = clock64();
  stamps[0] = asked;
  stamps[1] = cycles_past_l2(line, true, 1);
  return asked + pause + mixed(load) % pause;
}
// [stamped]

/// A load is slow from so many cycles beyond the median on. What nothing delays differs by less.
inline constexpr std::int64_t slow_cycles = 75;

/// The median.
/// @param values at least one
inline std::int64_t median(std::vector<std::int64_t> values) {
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}

}  // namespace weft
