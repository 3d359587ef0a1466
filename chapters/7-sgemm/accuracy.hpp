#pragma once

/// @file
/// How far a product is from what it should be.

#include "problem.hpp"

namespace weft {

/// Inputs whose error is looked at.
enum class Inputs : std::uint8_t {
  even,   ///< all over [-1, 1)
  spread  ///< the same, the rows of A and the columns of B multiplied with powers of two from 2^-30 to 2^30
};

// [error]
/// The error of A B on the device, against a sum in double precision: the root of the mean square of each
/// element's error as a share of what the magnitudes of its products add up to.
/// @throws OutOfDeviceMemory if there is no room
double relative_error(Launch launch, Workspace workspace, int m, int n, int k, Inputs inputs);
// [error]

}  // namespace weft
