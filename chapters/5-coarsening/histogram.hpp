#pragma once

/// @file
/// What the histograms solve: how often each value occurs.

#include "problem.hpp"

namespace weft {

// [histogram]
/// Elements on the device, and a count for each value that they can have.
struct Histogram {
  const std::uint32_t* words;  ///< aligned to 16 bytes; each holds four bytes, or two shorts
  std::int64_t count;          ///< of elements; the last word may hold more, which do not count
  std::uint32_t* bins;
  std::uint32_t* workspace;  ///< as many words as the step asked for, zero before the first launch
};
// [histogram]

/// What elements are.
struct Elements {
  int bits;  ///< of an element in memory, 8 or 16
  int bins;  ///< elements are smaller than this

  [[nodiscard]] constexpr std::int64_t words_of(std::int64_t count) const {
    return blocks_over(count, 32 / bits);
  }
};
inline constexpr Elements bytes{8, 256};
inline constexpr Elements shorts{16, 4096};

/// A step's own.
struct HistogramStep {
  Elements elements = bytes;
  Function<void(cudaStream_t, const Histogram&)> launch;
  std::int64_t workspace = 0;                               ///< in words
  Function<model::Prediction(std::int64_t count)> predict;  ///< of steps whose counts no value changes
};

/// How many of a hundred elements have the same value: none but by chance, three quarters, all.
inline const Numbers percents_of_same{0, 75, 100};

/// A variant with all that histograms have in common. Shapes are numbers of elements. It is timed at 2^28
/// bytes, as bytes or as shorts, and rated by them. The setting has an axis `same`.
Variant histogram_variant(const char* name, const Setting& setting, const HistogramStep& step);

/// The counts that a launch left of an input whose elements all are `value`.
/// @throws CudaError if the launch failed
List<std::uint32_t> counts_of_constant(const HistogramStep& step, std::int64_t count, int value);

}  // namespace weft
