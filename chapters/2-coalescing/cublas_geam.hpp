#pragma once

/// @file
/// cuBLAS's sum of two matrices as a sum of vectors.

#include <limits>

#include "kernel/cublas.hpp"
#include "model/refuse.hpp"
#include "problem.hpp"

namespace weft::cublas_geam {

// [launch]
/// The vectors as matrices of `height` elements a column, if that divides them, and as one column if not.
inline void add(cudaStream_t stream, Vectors v, std::int64_t height) {
  static const Cublas cublas;
  const std::int64_t rows = v.count % height == 0 ? height : v.count;
  if (max(rows, v.count / rows) > std::numeric_limits<int>::max()) {
    refuse("cublasSgeam takes at most 2^31 - 1 rows and columns");
  }
  const auto m = static_cast<int>(rows);
  const auto n = static_cast<int>(v.count / rows);
  cublas.geam(stream, Cublas::as_it_is, Cublas::as_it_is, m, n, 1, v.a, m, 1, v.b, m, v.c, m);
}
// [launch]

}  // namespace weft::cublas_geam
