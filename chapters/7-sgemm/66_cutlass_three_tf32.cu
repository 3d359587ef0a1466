// CUTLASS's three products of tf32 on the tensor cores, by the instructions of Ampere: the fastest of several
// tiles.
#include "cutlass_kernels.hpp"

void weft::register_steps() {
  cutlass_kernels::add("cutlass-three-tf32", [](const Sgemm& p) {
    return cutlass_kernels::candidates("weft_cutlass_three_tf32", p);
  });
}
