#include "model/rhythm.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace weft::model {
namespace {

/// The longest period to which events keep nearly as closely as to any from `shortest` to four times the
/// median of their distances. All parts of a period fit the events too, but less closely.
/// @param times at least 2, rising
/// @return the period and its strength
Rhythm rhythm_of_window(std::span<const double> times, double shortest) {
  constexpr double nearly = 0.9;
  constexpr double steps_of_cycle =
      4;  // frequencies are tried so closely that the first and last event agree
  std::vector<double> distances;
  for (std::size_t i = 1; i < times.size(); ++i) distances.push_back(times[i] - times[i - 1]);
  std::ranges::nth_element(distances, distances.begin() + std::ssize(distances) / 2);
  const double median = distances[distances.size() / 2];
  const double lowest = 1 / std::max(4 * median, 2 * shortest);
  const double step = 1 / (steps_of_cycle * std::max(times.back() - times.front(), shortest));
  const auto frequencies = static_cast<std::size_t>((1 / shortest - lowest) / step) + 1;
  const std::vector<double> strengths = strengths_of(times, lowest, step, frequencies);
  const double best = std::ranges::max(strengths);
  std::size_t found = 0;
  while (strengths[found] < nearly * best) ++found;
  while (found + 1 < strengths.size() && strengths[found + 1] > strengths[found]) ++found;
  return {1 / (lowest + step * static_cast<double>(found)), 0, strengths[found]};
}

}  // namespace

std::vector<double> strengths_of(std::span<const double> times, double lowest, double step,
                                 std::size_t frequencies) {
  // From one frequency to the next each arrow turns by an angle of its own: that takes a twentieth of the
  // time of a sine and a cosine.
  std::vector<double> x, y, turn_x, turn_y;
  for (const double time : times) {
    const double turn = 2 * std::numbers::pi * (time - times.front());
    x.push_back(std::cos(turn * lowest));
    y.push_back(std::sin(turn * lowest));
    turn_x.push_back(std::cos(turn * step));
    turn_y.push_back(std::sin(turn * step));
  }
  std::vector<double> strengths;
  strengths.reserve(frequencies);
  while (strengths.size() < frequencies) {
    double sum_x = 0;
    double sum_y = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
      sum_x += x[i];
      sum_y += y[i];
      const double before = x[i];
      x[i] = before * turn_x[i] - y[i] * turn_y[i];
      y[i] = before * turn_y[i] + y[i] * turn_x[i];
    }
    strengths.push_back(std::hypot(sum_x, sum_y) / static_cast<double>(times.size()));
  }
  return strengths;
}

std::optional<Rhythm> rhythm(std::span<const double> times, double shortest) {
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
