// cuBLAS transposes, too: C = alpha op(A) + beta op(B) with alpha 1 and beta 0, the program to beat.
#include <dlfcn.h>

#include <algorithm>
#include <limits>

#include "problem.hpp"

namespace {
// [library]
// The three functions that this takes, looked up when the step runs: so it builds where there is no cuBLAS.
using Handle = struct cublasContext*;
constexpr int as_it_is = 0;  // cublasOperation_t
constexpr int transposed = 1;

template <typename Function>
Function* find(void* library, const char* name) {
  if (auto* function = reinterpret_cast<Function*>(dlsym(library, name))) return function;
  throw std::runtime_error(std::string("cuBLAS has no function ") + name);
}

void check_status(int status, const char* call) {
  if (status != 0)
    throw std::runtime_error(std::string(call) + " failed with cuBLAS status " + std::to_string(status));
}

class Cublas {
 public:
  Cublas() {
    const std::string name = "libcublas.so." + std::to_string(CUDART_VERSION / 1000);
    void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw Unavailable("cublas-geam needs cuBLAS, and " + name + " is not found");
    auto* create = find<int(Handle*)>(library, "cublasCreate_v2");
    set_stream_ = find<SetStream>(library, "cublasSetStream_v2");
    geam_ = find<Geam>(library, "cublasSgeam");
    check_status(create(&handle_), "cublasCreate");
  }

  /// `out` becomes the transpose of `in`.
  void transpose(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) const;

 private:
  using SetStream = int(Handle, cudaStream_t);
  using Geam = int(Handle, int op_a, int op_b, int m, int n, const float* alpha, const float* a, int lda,
                   const float* beta, const float* b, int ldb, float* c, int ldc);

  Handle handle_ = nullptr;  // lives as long as the program: the driver may be gone before static objects are
  SetStream* set_stream_ = nullptr;
  Geam* geam_ = nullptr;
};
// [library]

// [launch]
/// cuBLAS counts by columns: what lies in memory as our rows × columns is to it a matrix of columns × rows.
/// So it transposes columns × rows into rows × columns, and we see the same from the other side.
void Cublas::transpose(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) const {
  if (std::max(in.rows, in.columns) > std::numeric_limits<int>::max()) {
    throw std::invalid_argument("cublasSgeam takes at most 2^31 - 1 rows and columns");
  }
  const auto rows = static_cast<int>(in.rows);
  const auto columns = static_cast<int>(in.columns);
  const float one = 1;
  const float zero = 0;
  check_status(set_stream_(handle_, stream), "cublasSetStream");
  check_status(geam_(handle_, transposed, as_it_is, rows, columns, &one, in.data, columns, &zero, out.data,
                     rows, out.data, rows),
               "cublasSgeam");
}

void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  static const Cublas cublas;
  cublas.transpose(stream, in, out);
}
// [launch]

// [step]
const Transpose step{"cublas-geam", launch, Kind::peer};
// [step]
}  // namespace
