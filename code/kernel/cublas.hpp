#pragma once

/// @file
/// What the peers need of cuBLAS, looked up when they run: so they build where there is no cuBLAS.

#include <cuda_runtime_api.h>

namespace weft {

// [library]
/// Functions of cuBLAS and a handle.
class Cublas {
 public:
  static constexpr int as_it_is = 0;  ///< cublasOperation_t
  static constexpr int transposed = 1;
  static constexpr int default_math = 0;  ///< cublasMath_t
  static constexpr int pedantic_math = 2;
  static constexpr int tf32_math = 3;

  /// @throws Unavailable if there is no cuBLAS
  Cublas();

  /// Queues C = alpha op(A) + beta op(B); `m` rows and `n` columns of C, counted by columns as cuBLAS does.
  /// @throws std::runtime_error if cuBLAS refuses
  void geam(cudaStream_t stream, int op_a, int op_b, int m, int n, float alpha, const float* a, int lda,
            float beta, const float* b, int ldb, float* c, int ldc) const {
    check_status(set_stream_(handle_, stream), "cublasSetStream");
    check_status(geam_(handle_, op_a, op_b, m, n, &alpha, a, lda, &beta, b, ldb, c, ldc), "cublasSgeam");
  }

  /// Queues C = alpha A B + beta C; `m` rows and `n` columns of C, counted by columns.
  /// @throws std::runtime_error if cuBLAS refuses
  void gemm(cudaStream_t stream, int math, int m, int n, int k, float alpha, const float* a, int lda,
            const float* b, int ldb, float beta, float* c, int ldc) const {
    check_status(set_stream_(handle_, stream), "cublasSetStream");
    check_status(set_math_(handle_, math), "cublasSetMathMode");
    check_status(gemm_(handle_, as_it_is, as_it_is, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc),
                 "cublasSgemm");
  }

 private:
  using Handle = struct cublasContext*;
  using SetStream = int(Handle, cudaStream_t);
  using Geam = int(Handle, int op_a, int op_b, int m, int n, const float* alpha, const float* a, int lda,
                   const float* beta, const float* b, int ldb, float* c, int ldc);
  using SetMath = int(Handle, int math);
  using Gemm = int(Handle, int op_a, int op_b, int m, int n, int k, const float* alpha, const float* a,
                   int lda, const float* b, int ldb, const float* beta, float* c, int ldc);

  static void check_status(int status, const char* call);

  Handle handle_ = nullptr;  // lives as long as the program: the driver may be gone before static objects are
  SetStream* set_stream_ = nullptr;
  SetMath* set_math_ = nullptr;
  Geam* geam_ = nullptr;
  Gemm* gemm_ = nullptr;
};
// [library]

}  // namespace weft
