#pragma once

/// @file
/// What the flagship's steps solve: the sum of floats.

#include "problem.hpp"

namespace weft {

// [sum]
/// The sum of floats on the device.
struct Sum {
  const float* in;  ///< aligned to 16 bytes
  std::int64_t count;
  float* sum;
  std::uint32_t* workspace;  ///< as many words as the step asked for, zero before the first launch
};
// [sum]

/// A float for each thread, or several: so many threads are a block in most steps.
inline constexpr dim3 block{256};

/// The sizes that a sum is timed at, the one that most steps are timed at first.
inline const Numbers sizes_of_sums{1 << 28, 1 << 20, 1 << 24, 1 << 26, 1 << 30};

/// A step's own, each from the number of floats.
struct SumStep {
  Function<void(cudaStream_t, const Sum&)> launch;
  /// The most additions that one float goes through: the error is at most g times the sum of all magnitudes,
  /// g = a u / (1 - a u) for a additions and u = 2^-24 (Higham, Accuracy and Stability of Numerical
  /// Algorithms, 4.2).
  Function<std::int64_t(std::int64_t count)> additions;
  Function<model::Prediction(std::int64_t count)> predict;
  Function<std::int64_t(std::int64_t count)> workspace;  ///< in words
};

/// A variant with all that sums have in common. It is timed at the first of the sizes and counted at 2^20.
Variant sum_of_floats(const char* name, const Setting& setting, const SumStep& step);

}  // namespace weft
