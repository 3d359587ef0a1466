#pragma once

/// @file
/// What every step of this chapter solves: BLAS's SGEMM, C = alpha A B + beta C, on matrices that lie row by
/// row.

#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <cstdint>

#include "check/counted.hpp"
#include "kernel/grid.hpp"
#include "model/prediction.hpp"
#include "step/axes.hpp"

namespace weft {

// [sgemm]
/// C = alpha A B + beta C on the device. A is m × k, B is k × n, C is m × n, each row by row: element
/// (row, column) of A is a[row * lda + column]. A leading dimension is the distance of two rows, at least the
/// length of one.
struct Sgemm {
  int m, n, k;
  float alpha;
  const float* a;
  std::int64_t lda;
  const float* b;
  std::int64_t ldb;
  float beta;
  float* c;
  std::int64_t ldc;
  float* workspace;  ///< as many floats as the step asked for, of no known value
};
// [sgemm]

/// The largest m, n and k: a number of a row or column and a tile more still fit into an int.
inline constexpr std::int64_t largest_extent = std::int64_t{1} << 30;

/// Queues the product; m and n are at least 1. k may be 0, and then alpha is 0, too.
using Launch = void (*)(cudaStream_t, const Sgemm&);

/// What a step is expected to count with alpha 1 and beta 0, where its tiles divide the matrices.
using Predict = model::Prediction (*)(std::int64_t m, std::int64_t n, std::int64_t k);

/// How many floats of workspace a step needs; it is allocated once, outside of what is timed.
using Workspace = std::int64_t (*)(std::int64_t m, std::int64_t n, std::int64_t k);

/// What few steps have.
struct ProductOptions {
  Kind kind = Kind::step;
  Workspace workspace = nullptr;
  bool everywhere = false;  ///< timed at all shapes, not only at those of most steps
  bool curve = false;       ///< its variants are read as one curve
  bool polls = false;       ///< see Variant
  Shape counted = {512, 512, 512};
  /// The shapes that it is timed at, where they are not most steps'.
  // NOLINTNEXTLINE(readability-redundant-member-init): else GCC warns where other members alone are named
  List<Shape> measured = {};
  int gap = 0;          ///< floats between the rows of each matrix that is timed and counted
  int least_depth = 0;  ///< less deep products are computed in another way: so deeper ones are checked, too
};

/// What a step of this chapter registers; its shape is m × n × k. It is checked on shapes that break kernels
/// and with values that BLAS treats in a way of its own, counted at one shape if it is predicted, and timed
/// at the measured ones, where it is rated by 2 m n k operations.
Variant product_variant(const char* name, const Setting& setting, Launch launch, Predict predict,
                        const ProductOptions& options = {});

/// Registers a step of this chapter.
void add_product(const char* name, const Axes& axes, Launch launch, Predict predict,
                 const ProductOptions& options = {});

/// The parameter that names the extents of a tile of C and how deep it goes along k at a time.
Axes tile_axis(int rows, int columns, int depth);

/// For kernels that want more shared memory in a block than every card has.
/// @throws Unavailable if this card has not so many bytes
void require_shared(int bytes);

// [update]
/// Puts the sum of an element's products where it belongs. beta 0 never reads C, so that a NaN there is gone.
__device__ inline void update(float* element, float alpha, float sum, float beta) {
  *element = beta == 0 ? alpha * sum : alpha * sum + beta * *element;
}
// [update]

}  // namespace weft

using namespace weft;  // a step is a program of its own
