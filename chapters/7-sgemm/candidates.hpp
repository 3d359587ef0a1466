#pragma once

/// @file
/// The shapes of tiles among which `make tune7` chooses.

#include "model/warp.hpp"

namespace weft {

// [shape]
/// How the work is divided: a block takes rows × columns of C and `depth` of k at a time, a warp and a thread
/// their parts of the block's.
struct TileShape {
  int rows, columns, depth;
  int warp_rows, warp_columns;
  int held_rows, held_columns;
  int stages;   ///< tiles of A and B in shared memory
  bool turned;  ///< A is turned on its way into the tiles; otherwise it is transposed before
  int blocks;   ///< that a multiprocessor shall have registers for
  int group;    ///< rows of tiles that are walked through together

  [[nodiscard]] __host__ __device__ constexpr int warps() const {
    return rows / warp_rows * (columns / warp_columns);
  }
  [[nodiscard]] __host__ __device__ constexpr int threads() const { return warps() * model::warp_size; }
  [[nodiscard]] __host__ __device__ constexpr int lanes_down() const { return warp_rows / held_rows; }
  [[nodiscard]] __host__ __device__ constexpr int lanes_across() const { return warp_columns / held_columns; }

  /// Floats to a row of the tile of A: eight columns that are turned begin in eight banks.
  [[nodiscard]] __host__ __device__ constexpr int pitch() const { return turned ? rows + 4 : rows; }

  /// Where a lane lies in its warp, in fours; as in the step before, but for any number of lanes across.
  [[nodiscard]] __host__ __device__ constexpr int lane_row(int lane) const {
    return lane / 2 % (warp_rows / held_rows);
  }
  [[nodiscard]] __host__ __device__ constexpr int lane_column(int lane) const {
    return lane / (2 * (warp_rows / held_rows)) * 2 + lane % 2;
  }
};
// [shape]

// [list]
/// The first is that of the steps before. To try another one, add it here: that is all.
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
