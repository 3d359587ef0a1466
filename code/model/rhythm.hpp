#pragma once

/// @file
/// The period of events, some of which were not seen, and among which are others that belong to no period.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>
#include <vector>

namespace weft::model {

struct Rhythm {
  double period;    ///< the median over windows of events
  double spread;    ///< of its middle half, as a share of it
  double strength;  ///< 0 to 1, the median: how closely the events of a window keep to their period
};

/// How closely events keep to a frequency: the length of the mean of their phases as arrows (Rayleigh's
/// test).
inline double strength_of(std::span<const double> times, double frequency) {
  double x = 0;
  double y = 0;
  for (const double time : times) {
    const double phase = 2 * std::numbers::pi * frequency * (time - times.front());
    x += std::cos(phase);
    y += std::sin(phase);
  }
  return std::hypot(x, y) / static_cast<double>(times.size());
}

/// The longest period to which events keep nearly as closely as to any from `shortest` to four times the
/// median of their distances. All parts of a period fit the events too, but less closely.
/// @param times at least 2, rising
/// @return the period and its strength
inline Rhythm rhythm_of_window(std::span<const double> times, double shortest) {
  constexpr double nearly = 0.9;
  constexpr double steps_of_cycle =
      4;  // frequencies are tried so closely that the first and last event agree
  std::vector<double> distances;
  for (std::size_t i = 1; i < times.size(); ++i) distances.push_back(times[i] - times[i - 1]);
  std::ranges::nth_element(distances, distances.begin() + std::ssize(distances) / 2);
  const double median = distances[distances.size() / 2];
  const double lowest = 1 / std::max(4 * median, 2 * shortest);
  const double step = 1 / (steps_of_cycle * std::max(times.back() - times.front(), shortest));
  std::vector<double> strengths;
  const auto frequencies = static_cast<std::size_t>((1 / shortest - lowest) / step) + 1;
  strengths.reserve(frequencies);
  for (std::size_t i = 0; i < frequencies; ++i) {
    strengths.push_back(strength_of(times, lowest + step * static_cast<double>(i)));
  }
  const double best = std::ranges::max(strengths);
  std::size_t found = 0;
  while (strengths[found] < nearly * best) ++found;
  while (found + 1 < strengths.size() && strengths[found + 1] > strengths[found]) ++found;
  return {1 / (lowest + step * static_cast<double>(found)), 0, strengths[found]};
}

/// The period of events, from windows of 256 of them: from 16 windows at most.
/// @param shortest no period is shorter; what samples the events sees none below two of its own
/// @return nothing, if there is no window, or if the events keep to no period
inline std::optional<Rhythm> rhythm(std::span<const double> times, double shortest) {
  constexpr std::size_t events = 256;
  constexpr std::size_t most_windows = 16;
  constexpr double least_strength = 0.5;
  std::vector<double> periods;
  std::vector<double> strengths;
  const std::size_t windows = std::min(times.size() / events, most_windows);
  for (std::size_t window = 0; window < windows; ++window) {
    const Rhythm found = rhythm_of_window(times.subspan(window * events, events), shortest);
    periods.push_back(found.period);
    strengths.push_back(found.strength);
  }
  if (periods.empty()) return std::nullopt;
  std::ranges::sort(periods);
  std::ranges::sort(strengths);
  const double strength = strengths[strengths.size() / 2];
  if (strength < least_strength) return std::nullopt;
  const double median = periods[periods.size() / 2];
  const double middle_half = periods[(periods.size() - 1) * 3 / 4] - periods[(periods.size() - 1) / 4];
  return Rhythm{median, middle_half / median, strength};
}

}  // namespace weft::model
