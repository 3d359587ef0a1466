// The error of cuBLAS's SGEMM, by depth and by inputs.
#include "accuracy.hpp"
#include "cublas_sgemm.hpp"

// [step]
void weft::register_steps() {
  add_error("cublas-error", Kind::peer, cublas_sgemm::launch<Cublas::default_math>, nullptr);
}
// [step]
