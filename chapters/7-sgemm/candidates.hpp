#pragma once

/// @file
/// The shapes of tiles among which `make tune7` chooses.

#include "model/warp.hpp"

namespace weft {

// [shape]
/// How the work is divided: a block computes rows × columns of C, `depth` steps along k at a time. A warp and
/// a thread compute parts of the block's tile.
struct TileShape {
  int rows, columns, depth;
  int warp_rows, warp_columns;
  int held_rows, held_columns;
  int stages;   ///< tiles of A and B in shared memory
  bool turned;  ///< A is transposed during the copy into the tiles; otherwise before it
  int blocks;   ///< for which a multiprocessor must have registers
  int group;    ///< how many rows of tiles form a group

  [[nodiscard]] __host__ __device__ constexpr int warps() const {
    return rows / warp_rows * (columns / warp_columns);
  }
  [[nodiscard]] __host__ __device__ constexpr int threads() const { return warps() * model::warp_size; }
  [[nodiscard]] __host__ __device__ constexpr int lanes_down() const { return warp_rows / held_rows; }
  [[nodiscard]] __host__ __device__ constexpr int lanes_across() const { return warp_columns / held_columns; }

  /// Floats in a row of the tile of A. With four more, the eight columns of a request meet all banks.
  [[nodiscard]] __host__ __device__ constexpr int pitch() const { return turned ? rows + 4 : rows; }

  /// A lane's row and column in its warp, as in the step before, but for any number of lanes across.
  [[nodiscard]] __host__ __device__ constexpr int lane_row(int lane) const {
    return lane / 2 % (warp_rows / held_rows);
  }
  [[nodiscard]] __host__ __device__ constexpr int lane_column(int lane) const {
    return lane / (2 * (warp_rows / held_rows)) * 2 + lane % 2;
  }
};
// [shape]

// [list]
/// The first shape is that of the step before. To try another shape, add a line.
inline constexpr TileShape candidates[] = {
    // a block's tile, a warp's, a thread's; stages, A turned, blocks, group
    {128, 128, 16, 64, 32, 8, 8, 3, true, 2, 16},    //
    {128, 128, 16, 64, 32, 8, 8, 3, false, 2, 16},   //
    {128, 128, 32, 64, 32, 8, 8, 2, false, 2, 16},   //
    {128, 128, 16, 64, 64, 8, 16, 3, true, 2, 16},   //
    {128, 128, 16, 64, 64, 8, 16, 3, false, 2, 16},  //
    {128, 128, 16, 64, 64, 16, 8, 3, true, 2, 16},   //
    {128, 256, 16, 64, 64, 8, 16, 3, true, 1, 16},   //
    {128, 256, 16, 64, 64, 8, 16, 3, false, 1, 16},  //
    {256, 128, 16, 64, 64, 16, 8, 3, true, 1, 8},    //
    {256, 128, 16, 64, 64, 16, 8, 3, false, 1, 8},   //
    {128, 64, 16, 64, 32, 8, 8, 3, true, 4, 8},      //
    {64, 128, 16, 32, 64, 8, 8, 3, true, 4, 16},     //
    {64, 64, 16, 32, 32, 8, 4, 4, true, 4, 16},
};
// [list]

}  // namespace weft
