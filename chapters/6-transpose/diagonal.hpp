#pragma once

/// @file
/// Handing out blocks along diagonals, on a grid of any shape.

#include <cuda_runtime.h>

#include "kernel/grid.hpp"

namespace weft {

// [order]
/// A grid with its sides, for kernels that hand out its blocks in an order of their own.
struct Blocks {
  unsigned across, down;
};

/// The place in the grid of the n-th block of the diagonal order.
///
/// From one block to the next both x and y go one further, and start again at the edge. After `down` blocks,
/// when y is back at 0, x starts one further to the right: so every block of the grid gets its turn, once.
__host__ __device__ constexpr uint2 diagonal(unsigned n, Blocks blocks) {
  const unsigned y = n % blocks.down;
  return {(n / blocks.down + y) % blocks.across, y};
}
// [order]

/// The sides of the grid whose blocks cover width × height.
/// @throws std::invalid_argument if it takes more than the 2^31 - 1 blocks that a one-dimensional launch has
inline Blocks blocks_over(std::int64_t width, std::int64_t height, dim3 block) {
  const std::int64_t across = blocks_over(width, block.x);
  const std::int64_t down = blocks_over(height, block.y);
  if (down > 0 && across > most_blocks_in_x / down) refuse("the grid has more than 2^31 - 1 blocks");
  return {static_cast<unsigned>(across), static_cast<unsigned>(down)};
}

}  // namespace weft
