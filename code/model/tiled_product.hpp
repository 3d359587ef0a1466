#pragma once

/// @file
/// What the blocks of a tiled matrix product load in each phase, as in source 003: P = M · N for square
/// matrices that lie row by row, a block of tile × tile threads for each tile of P. In a phase each thread
/// loads one element of M and one of N.

#include <cstdint>

namespace weft::model {

// [elements]
/// A product by its sizes. Elements are counted from the first of their matrix, row by row; x and y are the
/// thread's place in its block.
struct TiledProduct {
  std::int64_t width;  ///< of each matrix, a multiple of `tile`
  std::int64_t tile;

  [[nodiscard]] constexpr std::int64_t phases() const { return width / tile; }

  [[nodiscard]] constexpr std::int64_t of_m(std::int64_t block_row, std::int64_t phase, std::int64_t y,
                                            std::int64_t x) const {
    return (block_row * tile + y) * width + phase * tile + x;
  }

  [[nodiscard]] constexpr std::int64_t of_n(std::int64_t block_column, std::int64_t phase, std::int64_t y,
                                            std::int64_t x) const {
    return (phase * tile + y) * width + block_column * tile + x;
  }
};
// [elements]

}  // namespace weft::model
