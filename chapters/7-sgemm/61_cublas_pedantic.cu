// The same call, with the mode in which cuBLAS takes no liberties with the arithmetic.
#include "kernel/cublas.hpp"
#include "problem.hpp"

namespace {
// [launch]
/// A matrix row by row is its transpose column by column, and C' = B' A': so A and B change places.
void launch(cudaStream_t stream, const Sgemm& p) {
  static const Cublas cublas;
  cublas.gemm(stream, Cublas::pedantic_math, p.n, p.m, p.k, p.alpha, p.b, static_cast<int>(p.ldb), p.a,
              static_cast<int>(p.lda), p.beta, p.c, static_cast<int>(p.ldc));
}
// [launch]
}  // namespace

// [step]
void weft::register_steps() {
  add_product("cublas-pedantic", {}, launch, nullptr, {.kind = Kind::peer, .everywhere = true});
}
// [step]
