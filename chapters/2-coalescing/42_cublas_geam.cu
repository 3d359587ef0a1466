// cuBLAS adds, too: C = alpha A + beta B with alpha and beta 1.
#include <algorithm>
#include <limits>

#include "kernel/cublas.hpp"
#include "problem.hpp"

namespace {
// [launch]
/// The vectors as matrices of 2^14 elements a column, if that divides them, and as one column if not.
void launch(cudaStream_t stream, Vectors v) {
  static const Cublas cublas;
  constexpr std::int64_t tall = 1 << 14;
  const std::int64_t rows = v.count % tall == 0 ? tall : v.count;
  if (std::max(rows, v.count / rows) > std::numeric_limits<int>::max()) {
    throw std::invalid_argument("cublasSgeam takes at most 2^31 - 1 rows and columns");
  }
  const auto m = static_cast<int>(rows);
  const auto n = static_cast<int>(v.count / rows);
  cublas.geam(stream, Cublas::as_it_is, Cublas::as_it_is, m, n, 1, v.a, m, 1, v.b, m, v.c, m);
}
// [launch]
}  // namespace

// [step]
void weft::register_steps() { add_vectors("cublas-geam", {}, launch, {}, {.kind = Kind::peer}); }
// [step]
