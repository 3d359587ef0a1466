#pragma once

/// @file
/// Shapes of matrices that break kernels.

#include <cstdint>

#include "step/step.hpp"

namespace weft {

/// Empty, single, prime, one off a warp, one off a tile and off two, tall, flat, and more than 65,535 tiles
/// either way.
/// @param tile_rows,tile_columns extents of what a block works on, at least 1
List<Shape> adversarial_shapes(std::int64_t tile_rows, std::int64_t tile_columns);

/// Shapes with more than 2^31 elements, where 32-bit indices overflow; 8.6 GB per buffer of floats.
List<Shape> large_shapes();

/// The product of the extents.
std::int64_t elements(const Shape& shape);

}  // namespace weft
