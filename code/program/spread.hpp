#pragma once

/// @file
/// What is said of several measurements of one thing.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace weft {

/// Median and spread of a set of samples, in seconds.
struct Spread {
  double median;
  double low;   ///< 5th percentile
  double high;  ///< 95th percentile
};

/// Order statistics with linear interpolation between neighbouring samples.
/// @throws std::invalid_argument if there are no samples
inline Spread spread(std::vector<double> samples) {
  if (samples.empty()) throw std::invalid_argument("no samples to take the median of");
  std::ranges::sort(samples);
  const auto quantile = [&](double share) {
    const double at = share * static_cast<double>(samples.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, samples.size() - 1);
    return std::lerp(samples[below], samples[above], at - static_cast<double>(below));
  };
  return {quantile(0.5), quantile(0.05), quantile(0.95)};
}

}  // namespace weft
