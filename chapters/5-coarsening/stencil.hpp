#pragma once

/// @file
/// What the stencils solve: sweeps over a field, each of which takes the mean of every element and its
/// neighbours.

#include "problem.hpp"

namespace weft {

// [field]
/// A field on the device: element (x, y, z) is in[(z * height + y) * width + x]. A plane has a depth of 1.
/// Elements at an edge have too few neighbours and stay as they are.
struct Field {
  const float* in;
  float* out;
  std::int64_t depth, height, width;
};
// [field]

/// A step's own.
struct StencilStep {
  Function<void(cudaStream_t, const Field&)> launch;  ///< of a field that is not empty
  int sweeps = 1;
  Function<model::Prediction(const Field&)> predict;  ///< from the extents alone
};

/// A variant with all that sweeps over planes have in common: shapes are heights and widths. It is timed at
/// 8192 × 8192, where it is rated by the bytes that as many separate sweeps read and write.
Variant plane_variant(const char* name, const Setting& setting, const StencilStep& step);

/// The same of fields of three dimensions, timed at 512 × 512 × 512.
Variant space_variant(const char* name, const Setting& setting, const StencilStep& step);

}  // namespace weft
