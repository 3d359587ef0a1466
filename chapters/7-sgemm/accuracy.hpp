#pragma once

/// @file
/// How far a product is from what it should be.

#include "product.hpp"

namespace weft {

/// Inputs whose error is looked at.
enum class Inputs : std::uint8_t {
  zero_mean,   ///< all over [-1, 1)
  positive,    ///< all over [0, 1): all products of a sum have one sign
  ill_scaled,  ///< from [-1, 1), each element times a power of two of its own, from 2^-10 to 2^10
  spread       ///< from [-1, 1), the rows of A and the columns of B times powers of two from 2^-30 to 2^30
};

// [error]
/// What the errors of a product's elements are like, each as a share of what the magnitudes of the element's
/// own products add up to.
struct Error {
  double rms;   ///< the root of the mean square
  double mean;  ///< negative if the elements are nearer to zero than they should be: a drift
};

/// The error of A B on the device against sums in double precision, of its first 128 rows and columns.
/// @throws OutOfDeviceMemory if there is no room
Error relative_error(const Work& launch, Workspace workspace, const Shape& shape, Inputs inputs);
// [error]

/// Registers a variant that reports the errors of a way to multiply, by depth.
void add_error(const char* name, const Setting& setting, Launch launch, const ProductOptions& options);

}  // namespace weft
