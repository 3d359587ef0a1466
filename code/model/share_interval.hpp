#pragma once

/// @file
/// How far a share that was counted may lie from the true one.

#include <cmath>
#include <cstdint>

namespace weft::model {

struct ShareInterval {
  double low;
  double high;
};

/// Wilson's interval of 95 % for a share of which `hits` in `trials` were counted (Wilson, 1927).
/// @param trials at least 1
inline ShareInterval share_interval(std::int64_t hits, std::int64_t trials) {
  constexpr double z = 1.959964;  // of a normal distribution, 95 % lie within so many standard deviations
  const auto n = static_cast<double>(trials);
  const double share = static_cast<double>(hits) / n;
  const double middle = share + z * z / (2 * n);
  const double half = z * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  const double scale = 1 + z * z / n;
  return {(middle - half) / scale, (middle + half) / scale};
}

}  // namespace weft::model
