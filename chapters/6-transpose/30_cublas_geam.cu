// cuBLAS transposes, too: C = alpha op(A) + beta op(B) with alpha 1 and beta 0, the program to beat.
#include <limits>

#include "kernel/cublas.hpp"
#include "problem.hpp"

namespace {
// [launch]
/// cuBLAS assumes matrices that are stored by columns. So it sees our matrix of rows × columns as one of
/// columns × rows, and its transpose as one of rows × columns.
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  static const Cublas cublas;
  if (max(in.rows, in.columns) > std::numeric_limits<int>::max()) {
    refuse("cublasSgeam takes at most 2^31 - 1 rows and columns");
  }
  const auto rows = static_cast<int>(in.rows);
  const auto columns = static_cast<int>(in.columns);
  cublas.geam(stream, Cublas::transposed, Cublas::as_it_is, rows, columns, 1, in.data, columns, 0, out.data,
              rows, out.data, rows);
}
// [launch]
}  // namespace

// [step]
void weft::register_steps() { add_transpose("cublas-geam", {}, launch, {}, Kind::peer); }
// [step]
