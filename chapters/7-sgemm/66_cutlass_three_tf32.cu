// CUTLASS's three products of tf32 by Ampere's instructions: the fastest of several tiles.
#include "cutlass_kernels.hpp"

// [step]
void weft::register_steps() {
  cutlass_kernels::add("cutlass-three-tf32", [](const Sgemm& p) {
    return cutlass_kernels::candidates("weft_cutlass_three_tf32", p);
  });
}
// [step]
