// cuBLAS's SGEMM, as anyone calls it.
#include "cublas_sgemm.hpp"

// [step]
void weft::register_steps() {
  add_product("cublas-sgemm", {}, cublas_sgemm::launch<Cublas::default_math>, nullptr,
              {.kind = Kind::peer, .everywhere = true});
}
// [step]
