#pragma once

/// @file
/// How a field is cut into blocks that overlap, and into waves of them.

#include <cstdint>

#include "kernel/grid.hpp"

namespace weft {

// [strips]
/// How many spans cover a length if they overlap by two halos: each span makes all but its halos, and the
/// first and the last reach the ends of the length, where nothing is missing.
constexpr std::int64_t strips_over(std::int64_t length, std::int64_t span, std::int64_t halo) {
  return length <= span ? 1 : 1 + blocks_over(length - span, span - 2 * halo);
}
// [strips]

// [parts]
/// Blocks march along a length of the field, `columns` of them side by side. Cut into parts, there are more
/// blocks, which each march through a part and through `around` more, which the blocks beside them also make.
/// A card that holds `at_once` blocks takes its number of waves times the length of a block.
/// @param least what a part is not shorter than
/// @return the number of parts with which waves × (length of a part + around) is least
constexpr std::int64_t best_parts(std::int64_t columns, std::int64_t at_once, std::int64_t length,
                                  std::int64_t around, std::int64_t least) {
  const auto time_of = [=](std::int64_t parts) {
    return blocks_over(columns * parts, at_once) * (blocks_over(length, parts) + around);
  };
  std::int64_t best = 1;
  for (std::int64_t parts = 2; blocks_over(length, parts) >= least; ++parts) {
    if (time_of(parts) < time_of(best)) best = parts;
  }
  return best;
}
// [parts]

}  // namespace weft
