#pragma once

/// @file
/// cuBLAS's SGEMM on matrices that lie row by row.

#include "kernel/cublas.hpp"
#include "problem.hpp"

namespace weft::cublas_sgemm {

// [launch]
/// A matrix row by row is its transpose column by column, and C' = B' A': so A and B change places.
template <int math>
void launch(cudaStream_t stream, const Sgemm& p) {
  static const Cublas cublas;
  cublas.gemm(stream, math, p.n, p.m, p.k, p.alpha, p.b, static_cast<int>(p.ldb), p.a,
              static_cast<int>(p.lda), p.beta, p.c, static_cast<int>(p.ldc));
}
// [launch]

}  // namespace weft::cublas_sgemm
