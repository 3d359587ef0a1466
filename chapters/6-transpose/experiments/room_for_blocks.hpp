#pragma once

/// @file
/// Room for so many blocks in a multiprocessor of compute capability 9.0, and no more: shared memory that
/// nobody uses keeps others out, and the carve-out, which is asked for, leaves the L1 as it is.

#include <cstdint>

#include "device/device.hpp"
#include "model/occupancy.hpp"

namespace weft::room {

/// What a multiprocessor shall have for shared memory, in KiB: as much as the driver gives to vector-access
/// by itself, and the most. What is left of its array is the L1.
inline constexpr int usual = 132;
inline constexpr int most = 228;

inline constexpr model::DeviceLimits device = model::device_limits(9, 0);

/// As CUDA wants it: in per cent of the most.
constexpr int percent(int carve_out) { return 100 * carve_out / most; }

/// The shared memory beside the tile of a block that nobody uses, so that so many blocks fit, no more, and
/// take all of it: the driver gives more than was asked for to some that leave a part.
constexpr int bytes_beside(std::int64_t bytes_of_tile, int blocks, int carve_out) {
  const std::int64_t share =
      carve_out * model::kib / blocks / device.shared_granularity * device.shared_granularity;
  return static_cast<int>(share - device.shared_reserved - bytes_of_tile);
}

/// Whether a multiprocessor that has what was asked for holds so many blocks of a kernel, and no more.
/// @param registers of a thread, at most
constexpr bool holds(int blocks, int carve_out, std::int64_t bytes_of_tile, int threads, int registers) {
  const model::Occupancy found =
      model::occupancy(device, {.threads = threads,
                                .registers = registers,
                                .static_shared = bytes_of_tile,
                                .dynamic_shared = bytes_beside(bytes_of_tile, blocks, carve_out),
                                .carveout = percent(carve_out)});
  return found.blocks == blocks;
}

/// Asks for the carve-out, and for so many bytes of dynamic shared memory in each launch.
template <typename Kernel>
void ask(Kernel* kernel, int bytes, int carve_out) {
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  cuda_check(
      cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent(carve_out)));
}

}  // namespace weft::room
