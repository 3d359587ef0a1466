#pragma once

/// @file
/// A walk through an array again and again: one thread loads a word, then the word a stride further. What
/// caches must hold for it, and how many of its loads they can spare the memory behind them.

#include <algorithm>
#include <cstdint>

#include "model/access.hpp"

namespace weft::model {

/// What the L2 fetches from the DRAM at a time, unless `cudaLimitMaxL2FetchGranularity` says otherwise.
inline constexpr std::int64_t fetch_bytes = 64;

/// A walk in order: `bytes` from its first word to its last, a load every `stride` bytes. Both are powers of
/// two.
struct Walk {
  std::int64_t bytes;
  std::int64_t stride;

  /// The pieces of a size that it touches. A cache keeps whole lines, however few bytes of them are wanted.
  [[nodiscard]] constexpr std::int64_t pieces(std::int64_t size) const {
    return std::max<std::int64_t>(1, bytes / std::max(size, stride));
  }

  /// One load of so many is the first to touch its piece of that size.
  [[nodiscard]] constexpr std::int64_t loads_of_piece(std::int64_t size) const {
    return std::max<std::int64_t>(1, size / stride);
  }
};

}  // namespace weft::model
