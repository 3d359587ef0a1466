#pragma once

/// @file
/// Theoretical occupancy: how many blocks of a kernel an SM can hold at once, and what limits them.
///
/// Limits: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". Granularities of
/// allocation: NVIDIA's `cuda_occupancy.h`, against which the tests hold every result.

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>

#include "model/warp.hpp"

namespace weft::model {

/// What an SM of one compute capability offers; memory in bytes.
struct DeviceLimits {
  int major;
  int minor;
  int warps;                        ///< resident warps per SM
  int blocks;                       ///< resident blocks per SM
  std::int64_t shared_memory;       ///< shared memory per SM, at its largest configuration
  std::int64_t shared_per_block;    ///< largest shared memory of one block, after opting in
  std::int64_t shared_reserved;     ///< taken by the system from each block's share
  std::int64_t shared_granularity;  ///< a block's shared memory is rounded up to a multiple of it
};

inline constexpr int max_threads_per_block = 1024;
inline constexpr int max_registers_per_thread = 255;
inline constexpr int registers_per_sm = 65536;    ///< of 32 bits; also the most that one block may have
inline constexpr int register_granularity = 256;  ///< a warp's registers are rounded up to a multiple of it
inline constexpr int sm_partitions = 4;           ///< each with its scheduler and a quarter of the registers

inline constexpr std::int64_t kib = 1024;

/// The compute capabilities that are known.
inline constexpr std::array<DeviceLimits, 7> known_devices{{
    {7, 5, 32, 16, 64 * kib, 64 * kib, 0, 256},
    {8, 0, 64, 32, 164 * kib, 163 * kib, kib, 128},
    {8, 6, 48, 16, 100 * kib, 99 * kib, kib, 128},
    {8, 9, 48, 24, 100 * kib, 99 * kib, kib, 128},
    {9, 0, 64, 32, 228 * kib, 227 * kib, kib, 128},
    {10, 0, 64, 32, 228 * kib, 227 * kib, kib, 128},
    {12, 0, 48, 24, 100 * kib, 99 * kib, kib, 128},
}};

/// The limits of a compute capability.
/// @throws std::invalid_argument if it is not among known_devices
constexpr DeviceLimits device_limits(int major, int minor) {
  for (const DeviceLimits& device : known_devices) {
    if (device.major == major && device.minor == minor) return device;
  }
  throw std::invalid_argument("unknown compute capability: known are 7.5, 8.0, 8.6, 8.9, 9.0, 10.0 and 12.0");
}

/// What one block of a kernel asks for.
struct Launch {
  int threads = 0;                  ///< per block, 1 to 1024
  int registers = 0;                ///< per thread, 1 to 255
  std::int64_t static_shared = 0;   ///< bytes per block
  std::int64_t dynamic_shared = 0;  ///< bytes per block
};

/// A limit that does not exist, such as that of shared memory for a block that takes none.
inline constexpr int unlimited = std::numeric_limits<int>::max();

/// What an SM can hold. The limits are in blocks and carry the names of Nsight Compute's metrics.
struct Occupancy {
  int limit_blocks;      ///< launch__occupancy_limit_blocks
  int limit_registers;   ///< launch__occupancy_limit_registers
  int limit_shared_mem;  ///< launch__occupancy_limit_shared_mem
  int limit_warps;       ///< launch__occupancy_limit_warps
  int blocks;    ///< resident blocks per SM: the smallest of the limits; 0 if the launch is impossible
  int warps;     ///< resident warps per SM
  double ratio;  ///< of the resident warps that the SM has room for: 0 to 1

  constexpr bool operator==(const Occupancy&) const = default;
};

/// The next multiple of `granularity` that is not below `value`.
template <class Integer>
constexpr Integer round_up(Integer value, Integer granularity) {
  return (value + granularity - 1) / granularity * granularity;
}

/// Blocks that the registers of an SM suffice for.
///
/// Registers are given to whole warps, and a warp lives in one of four partitions with a quarter of the
/// registers each: what is left over in a partition helps no other.
constexpr int blocks_by_registers(int warps_per_block, int registers) {
  const int per_warp = round_up(registers * warp_size, register_granularity);
  const int warps_per_partition = registers_per_sm / sm_partitions / per_warp;
  return warps_per_partition * sm_partitions / warps_per_block;
}

/// Blocks that the shared memory of an SM suffices for, at its largest configuration.
///
/// The driver may choose a smaller one, with more L1 cache; Nsight Compute reports the limit under that. For
/// the same figure set DeviceLimits::shared_memory to what it calls `launch__shared_mem_config_size`.
constexpr int blocks_by_shared_memory(const DeviceLimits& device, std::int64_t bytes_per_block) {
  const std::int64_t allocated =
      round_up(bytes_per_block + device.shared_reserved, device.shared_granularity);
  if (allocated > device.shared_per_block + device.shared_reserved) return 0;
  return allocated == 0 ? unlimited : static_cast<int>(device.shared_memory / allocated);
}

/// Theoretical occupancy of a launch.
///
/// Assumes that the kernel has opted in where it takes more than 48 KiB of shared memory, and needs no
/// barrier but that of `__syncthreads`; more of them can limit the blocks as well.
/// @throws std::invalid_argument for threads outside 1 to 1024, registers outside 1 to 255, negative memory
constexpr Occupancy occupancy(const DeviceLimits& device, const Launch& launch) {
  if (launch.threads < 1 || launch.threads > max_threads_per_block) {
    throw std::invalid_argument("a block has 1 to 1024 threads");
  }
  if (launch.registers < 1 || launch.registers > max_registers_per_thread) {
    throw std::invalid_argument("a thread has 1 to 255 registers");
  }
  if (launch.static_shared < 0 || launch.dynamic_shared < 0) {
    throw std::invalid_argument("shared memory is not negative");
  }
  const int warps_per_block = round_up(launch.threads, warp_size) / warp_size;
  Occupancy result{};
  result.limit_blocks = device.blocks;
  result.limit_registers = blocks_by_registers(warps_per_block, launch.registers);
  result.limit_shared_mem = blocks_by_shared_memory(device, launch.static_shared + launch.dynamic_shared);
  result.limit_warps = device.warps / warps_per_block;
  result.blocks =
      std::min({result.limit_blocks, result.limit_registers, result.limit_shared_mem, result.limit_warps});
  result.warps = result.blocks * warps_per_block;
  result.ratio = static_cast<double>(result.warps) / device.warps;
  return result;
}

}  // namespace weft::model
