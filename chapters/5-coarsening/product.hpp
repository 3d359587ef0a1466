#pragma once

/// @file
/// The product of two matrices, which a thread computes one element of, or several.

#include "problem.hpp"

namespace weft {

// [product]
/// C = A B on the device. A is m × k, B is k × n, C is m × n, each row by row without gaps.
struct Multiplication {
  const float* a;
  const float* b;
  float* c;
  std::int64_t m, n, k;
};
// [product]

/// What a step of this kind says of a variant.
struct ProductStep {
  void (*launch)(cudaStream_t, const Multiplication&, const Setting&) = nullptr;
  /// Where tiles divide the matrices.
  model::Prediction (*predict)(const Multiplication& extents, const Setting&) = nullptr;
  /// Whether it has more values than registers: then local memory is read and written, which is not counted.
  bool spills = false;
};

/// Registers a variant: its shape is m × n × k, and it is rated by 2 m n k operations.
void add_product(const char* name, const Setting& setting, const ProductStep& step);

// [element]
/// An element of a matrix, or 0 outside of it.
__device__ inline float element(const float* __restrict__ matrix, std::int64_t rows, std::int64_t columns,
                                std::int64_t row, std::int64_t column) {
  return row < rows && column < columns ? matrix[row * columns + column] : 0;
}
// [element]

}  // namespace weft
