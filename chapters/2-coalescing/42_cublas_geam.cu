// cuBLAS adds, too: C = alpha A + beta B with alpha and beta 1.
#include "cublas_geam.hpp"

namespace {
// [launch]
void launch(cudaStream_t stream, Vectors v) { cublas_geam::add(stream, v, 1 << 14); }
// [launch]
}  // namespace

// [step]
void weft::register_steps() { add_vectors("cublas-geam", {}, launch, {}, {.kind = Kind::peer}); }
// [step]
