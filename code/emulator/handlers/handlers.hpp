#pragma once

#include "emulator/operation/table.hpp"

namespace weft::emulator {

void add_control(Table& table);        ///< branches, guards, barriers, logic on predicates
void add_calls(Table& table);          ///< calls, and the way back
void add_provided(Table& table);       ///< device functions that CUDA provides
void add_collective(Table& table);     ///< what lanes of a warp do together
void add_atomic(Table& table);         ///< atom and red
void add_asynchronous(Table& table);   ///< cp.async, bulk copies and mbarrier
void add_slow_memory(Table& table);    ///< accesses to generic and local memory
void add_matrix_memory(Table& table);  ///< ldmatrix, wmma's loads and stores
void add_cluster(Table& table);        ///< barriers of a cluster
void add_packing(Table& table);        ///< mov between a register and its parts

}  // namespace weft::emulator
