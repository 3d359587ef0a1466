// CUTLASS's tiles for the ordinary multipliers: the fastest of several, whole or with the depth divided.
#include "cutlass_kernels.hpp"

void weft::register_steps() {
  cutlass_kernels::add("cutlass-simt", [](const Sgemm& p) {
    return cutlass_kernels::candidates("weft_cutlass_multiply_adds", p);
  });
}
