#pragma once

/// @file
/// A permutation that each thread computes for itself, so that no index has to be read.

#include <cuda_runtime.h>

#include <bit>
#include <cstdint>

namespace weft {

// [permutation]
/// A one-to-one map of the integers below `count`, at least 1, that sends neighbours far apart.
class Permutation {
 public:
  constexpr explicit Permutation(std::int64_t count)
      : count_(static_cast<std::uint64_t>(count)),
        bits_(static_cast<int>(std::bit_width(count_ - 1))),
        mask_((std::uint64_t{1} << bits_) - 1),
        shift_(bits_ / 2 + 1) {}

  /// Mixes the bits until the result lies below the count. Each step of the mixing can be undone.
  __host__ __device__ constexpr std::int64_t operator()(std::int64_t index) const {
    auto x = static_cast<std::uint64_t>(index);
    do {
      x = x * 0x9E3779B97F4A7C15 & mask_;
      x ^= x >> shift_;
      x = x * 0xD1B54A32D192ED03 & mask_;
      x ^= x >> shift_;
    } while (x >= count_);
    return static_cast<std::int64_t>(x);
  }

 private:
  std::uint64_t count_;
  int bits_;
  std::uint64_t mask_;
  int shift_;
};
// [permutation]

}  // namespace weft
