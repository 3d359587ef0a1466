#pragma once

/// @file
/// The vocabulary of the three witnesses: Nsight Compute's metric names.

#include <array>
#include <cstddef>
#include <string_view>

#include "model/metrics.hpp"

namespace weft::model {

/// Nsight Compute's names, in the order of Metric, which is alphabetical.
inline constexpr std::array<std::string_view, metric_count> metric_names{
    "l1tex__data_pipe_lsu_wavefronts.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
    "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "smsp__inst_executed_op_shared_atom.sum",
    "smsp__inst_executed_op_shared_ld.sum",
    "smsp__inst_executed_op_shared_st.sum",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
};

/// Nsight Compute's name of a metric.
constexpr std::string_view name(Metric metric) { return metric_names[static_cast<std::size_t>(metric)]; }

/// Requests of atomics in global memory, which the emulator counts and the model does not predict.
inline constexpr std::string_view global_atomic_requests =
    "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum";
/// Their sectors.
inline constexpr std::string_view global_atomic_sectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum";
/// Wavefronts of all loads from shared memory, ldmatrix's among them, which the model's do not hold.
inline constexpr std::string_view shared_load_wavefronts_with_matrices =
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
/// The same of stores, with stmatrix's.
inline constexpr std::string_view shared_store_wavefronts_with_matrices =
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum";
/// Tag wavefronts of global stores.
inline constexpr std::string_view store_tag_wavefronts =
    "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_st.sum";

}  // namespace weft::model
