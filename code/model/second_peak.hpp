#pragma once

/// @file
/// Whether times crowd in two places: most of them in one, and a few, which something delayed, in another.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace weft::model {

/// The few, which lie beyond a valley.
struct SecondPeak {
  std::int64_t threshold;  ///< the middle of the valley: the few are no less
  std::int64_t count;      ///< of the few
  std::int64_t median;     ///< of the few
};

/// The second peak of a distribution: of all windows of `width` that begin two widths or more above the
/// median the one with the most values. The valley is the emptiest window below it.
/// @return nothing, if the peak holds fewer than 8 values, or less than four times what the valley holds
inline std::optional<SecondPeak> second_peak(std::span<const std::int64_t> values, std::int64_t width) {
  constexpr std::int64_t least_values = 8;
  constexpr std::int64_t least_height = 4;
  constexpr std::int64_t most_widths = 100;  // above the median
  if (values.empty() || width < 1) return std::nullopt;
  std::vector<std::int64_t> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const std::int64_t median = sorted[sorted.size() / 2];
  const auto below = [&](std::int64_t value) {
    return std::ranges::lower_bound(sorted, value) - sorted.begin();
  };
  const auto in_window = [&](std::int64_t begin) { return below(begin + width) - below(begin); };

  std::int64_t peak = median + 2 * width;
  const std::int64_t last = std::min(sorted.back(), median + most_widths * width);
  for (std::int64_t begin = peak + 1; begin <= last; ++begin) {
    if (in_window(begin) > in_window(peak)) peak = begin;
  }
  std::int64_t valley = peak;
  for (std::int64_t begin = peak; begin-- > median;) {
    if (in_window(begin) < in_window(valley)) valley = begin;
  }
  if (in_window(peak) < std::max(least_values, least_height * in_window(valley))) return std::nullopt;
  std::int64_t first_of_valley = valley;
  while (first_of_valley > median && in_window(first_of_valley - 1) == in_window(valley)) --first_of_valley;
  const std::int64_t threshold = (first_of_valley + valley + width) / 2;
  const std::int64_t before = below(threshold);
  const std::int64_t count = std::ssize(sorted) - before;
  return SecondPeak{threshold, count, sorted[static_cast<std::size_t>(before + count / 2)]};
}

}  // namespace weft::model
