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
  int stages;  ///< tiles of A and B in shared memory
  int blocks;  ///< that a multiprocessor shall have registers for
  int group;   ///< rows of tiles that are walked through together

  [[nodiscard]] __host__ __device__ constexpr int warps() const {
    return rows / warp_rows * (columns / warp_columns);
  }
  [[nodiscard]] __host__ __device__ constexpr int threads() const { return warps() * model::warp_size; }
  [[nodiscard]] __host__ __device__ constexpr int lanes_down() const { return warp_rows / held_rows; }
  [[nodiscard]] __host__ __device__ constexpr int lanes_across() const { return warp_columns / held_columns; }

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
    TileShape{.rows = 128,
              .columns = 128,
              .depth = 16,
              .warp_rows = 64,
              .warp_columns = 32,
              .held_rows = 8,
              .held_columns = 8,
              .stages = 3,
              .blocks = 2,
              .group = 16},
    TileShape{.rows = 128,
              .columns = 128,
              .depth = 32,
              .warp_rows = 64,
              .warp_columns = 32,
              .held_rows = 8,
              .held_columns = 8,
              .stages = 2,
              .blocks = 2,
              .group = 16},
    TileShape{.rows = 128,
              .columns = 128,
              .depth = 16,
              .warp_rows = 64,
              .warp_columns = 64,
              .held_rows = 16,
              .held_columns = 8,
              .stages = 3,
              .blocks = 2,
              .group = 16},
    TileShape{.rows = 128,
              .columns = 128,
              .depth = 16,
              .warp_rows = 64,
              .warp_columns = 64,
              .held_rows = 8,
              .held_columns = 16,
              .stages = 3,
              .blocks = 2,
              .group = 16},
    TileShape{.rows = 128,
              .columns = 256,
              .depth = 16,
              .warp_rows = 64,
              .warp_columns = 64,
              .held_rows = 8,
              .held_columns = 16,
              .stages = 3,
              .blocks = 1,
              .group = 16},
    TileShape{.rows = 256,
              .columns = 128,
              .depth = 16,
              .warp_rows = 64,
              .warp_columns = 64,
              .held_rows = 16,
              .held_columns = 8,
              .stages = 3,
              .blocks = 1,
              .group = 8},
    TileShape{.rows = 128,
              .columns = 64,
              .depth = 16,
              .warp_rows = 64,
              .warp_columns = 32,
              .held_rows = 8,
              .held_columns = 8,
              .stages = 3,
              .blocks = 4,
              .group = 8},
    TileShape{.rows = 64,
              .columns = 128,
              .depth = 16,
              .warp_rows = 32,
              .warp_columns = 64,
              .held_rows = 8,
              .held_columns = 8,
              .stages = 3,
              .blocks = 4,
              .group = 16},
    TileShape{.rows = 64,
              .columns = 64,
              .depth = 16,
              .warp_rows = 32,
              .warp_columns = 32,
              .held_rows = 8,
              .held_columns = 4,
              .stages = 4,
              .blocks = 4,
              .group = 16},
};
// [list]

}  // namespace weft
