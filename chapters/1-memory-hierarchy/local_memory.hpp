#pragma once

/// @file
/// What Nsight Compute counts of local memory. PTX knows no spill, so the emulator cannot count it.

#include "step/step.hpp"

namespace weft {

inline List<Quantity> local_memory_counters() {
  List<Quantity> made;
  for (const char* metric :
       {"smsp__inst_executed_op_local_ld.sum", "smsp__inst_executed_op_local_st.sum",
        "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
        "l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum",
        "l1tex__t_output_wavefronts_pipe_lsu_mem_local_op_ld.sum"}) {
    made.push_back({metric, "1", Origin::profiler, {}});
  }
  return made;
}

}  // namespace weft
