// The error of cuBLAS's SGEMM, by depth and by inputs.
#include "accuracy.hpp"
#include "cublas_sgemm.hpp"

void weft::register_steps() {
  add_error("cublas-error", {}, cublas_sgemm::launch<Cublas::default_math>, {.kind = Kind::peer});
}
