#pragma once

/// @file
/// Runs of neighbouring bytes in random order.

#include <bit>
#include <cstdint>

#include "kernel/permutation.hpp"

namespace weft {

// [place]
/// Runs lie in random order; where more are asked for than the memory has, the order begins again.
class RandomRuns {
 public:
  /// @param bytes of the memory, and of a run; both powers of two
  RandomRuns(std::int64_t bytes, std::int64_t run)
      : order_(bytes / run),
        last_(bytes / run - 1),
        log_(std::bit_width(static_cast<std::uint64_t>(run)) - 1) {}

  __host__ __device__ std::int64_t operator()(std::int64_t asked) const {
    const std::int64_t run = order_(asked >> log_ & last_);
    return run << log_ | (asked & ((std::int64_t{1} << log_) - 1));
  }

 private:
  Permutation order_;
  std::int64_t last_;
  int log_;
};
// [place]

}  // namespace weft
