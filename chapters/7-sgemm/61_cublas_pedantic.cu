// The same call, with the mode in which cuBLAS takes no liberties with the arithmetic.
#include "cublas_sgemm.hpp"

// [step]
void weft::register_steps() {
  add_product("cublas-pedantic", {}, cublas_sgemm::launch<Cublas::pedantic_math>, nullptr,
              {.kind = Kind::peer, .everywhere = true});
}
// [step]
