// CUTLASS's tiles for the ordinary multipliers: the fastest of several.
#include "cutlass_kernels.hpp"

// [step]
void weft::register_steps() {
  cutlass_kernels::add("cutlass-simt", [](const Sgemm& p) {
    return cutlass_kernels::candidates("weft_cutlass_multiply_adds", p);
  });
}
// [step]
