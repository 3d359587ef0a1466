// The same sum as matrices of other heights: cuBLAS's kernel divides columns among blocks.
#include "cublas_geam.hpp"

namespace {
// [launch]
void launch(cudaStream_t stream, Vectors v, int height) { cublas_geam::add(stream, v, height); }
// [launch]
}  // namespace

// [step]
void weft::register_steps() {
  add_vectors("cublas-geam-heights", Axes().with("height", {1 << 10, 1 << 12, 1 << 16, 1 << 20}), launch, {},
              {.kind = Kind::peer});
}
// [step]
