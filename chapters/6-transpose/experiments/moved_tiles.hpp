#pragma once

/// @file
/// Square tiles that go where a transpose puts them, their words in their order.

#include <cstdint>

namespace weft {

/// Which element of the input, a square matrix, lies at an element of the output.
/// @param side of the matrix, and `tile` of a tile, which divides it
inline std::int64_t source_of_moved(std::int64_t index, std::int64_t side, std::int64_t tile) {
  const std::int64_t row = index / side;
  const std::int64_t column = index % side;
  const std::int64_t from_row = column / tile * tile + row % tile;
  const std::int64_t from_column = row / tile * tile + column % tile;
  return from_row * side + from_column;
}

}  // namespace weft
