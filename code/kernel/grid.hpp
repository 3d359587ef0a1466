#pragma once

/// @file
/// Grids of any size: x takes 2^31 - 1 blocks, y only 65,535.

#include <cuda_runtime.h>
#include <device_launch_parameters.h>

#include <cstdint>

#include "model/refuse.hpp"

namespace weft {

// [grid]
inline constexpr std::int64_t most_blocks_in_x = INT32_MAX;
inline constexpr std::int64_t most_blocks_in_y = 65'535;

/// Blocks of `size` that it takes to cover `length`.
constexpr std::int64_t blocks_over(std::int64_t length, std::int64_t size) {
  return (length + size - 1) / size;
}

/// The grid whose blocks cover width × height; where y is full, it goes on in z.
/// The last layer of z may reach past the height: a kernel asks whether its element exists.
/// @throws std::invalid_argument if the width takes more blocks than x has
inline dim3 grid_over(std::int64_t width, std::int64_t height, dim3 block) {
  const std::int64_t across = blocks_over(width, block.x);
  const std::int64_t down = blocks_over(height, block.y);
  if (across > most_blocks_in_x) refuse("the grid has more than 2^31 - 1 blocks in x");
  const std::int64_t in_y = down < most_blocks_in_y ? down : most_blocks_in_y;
  return {static_cast<unsigned>(across), static_cast<unsigned>(in_y),
          static_cast<unsigned>(blocks_over(down, most_blocks_in_y))};
}

/// Which block of grid_over() this is, counted along the width.
__device__ inline std::int64_t block_x() { return blockIdx.x; }

/// Which block of grid_over() this is, counted along the height.
__device__ inline std::int64_t block_y() { return std::int64_t{blockIdx.z} * gridDim.y + blockIdx.y; }
// [grid]

}  // namespace weft
