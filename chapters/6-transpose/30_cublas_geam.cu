// cuBLAS transposes, too: C = alpha op(A) + beta op(B) with alpha 1 and beta 0, the program to beat.
#include <limits>

#include "kernel/cublas.hpp"
#include "problem.hpp"

namespace {
// [launch]
/// cuBLAS counts by columns: what lies in memory as our rows × columns is to it a matrix of columns × rows.
/// So it transposes columns × rows into rows × columns, and we see the same from the other side.
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
