#pragma once

/// @file
/// What a multiprocessor of each compute capability offers to the blocks that it holds.
///
/// Limits: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". What is counted of
/// barriers and virtual resources, and granularities: NVIDIA's `cuda_occupancy.h`.

#include <cstdint>
#include <limits>

#include "model/refuse.hpp"

namespace weft::model {

inline constexpr int max_threads_per_block = 1024;
inline constexpr int max_registers_per_thread = 255;
inline constexpr int max_barriers_per_block = 16;
inline constexpr int registers_per_sm = 65536;    ///< of 32 bits; also the most that one block may have
inline constexpr int register_granularity = 256;  ///< a warp's registers are rounded up to a multiple of it
inline constexpr int sm_partitions = 4;           ///< each with its scheduler and a quarter of the registers

inline constexpr std::int64_t kib = 1024;

/// A block's shared memory, static and dynamic, unless its kernel opts in to more.
inline constexpr std::int64_t default_shared_per_block = 48 * kib;

/// A limit that does not exist, such as that of shared memory for a block that takes none.
inline constexpr int unlimited = std::numeric_limits<int>::max();

/// What an SM of one compute capability offers; memory in bytes.
struct DeviceLimits {
  int major;
  int minor;
  int warps;                             ///< resident warps per SM
  int blocks;                            ///< resident blocks per SM
  std::int64_t shared_memory;            ///< shared memory per SM, at its largest configuration
  std::int64_t shared_per_block;         ///< largest shared memory of one block, after opting in
  std::int64_t shared_reserved;          ///< taken by the system from each block's share
  std::int64_t shared_granularity;       ///< a block's shared memory is rounded up to a multiple of it
  std::int64_t least_shared_memory = 0;  ///< the smallest configuration
  int barriers = unlimited;              ///< barriers per SM; before Hopper nobody counts them
  int virtual_resources = unlimited;     ///< what `cuda_occupancy.h` calls so, and does not explain
};

/// The compute capabilities that are known.
inline constexpr DeviceLimits known_devices[]{
    {7, 5, 32, 16, 64 * kib, 64 * kib, 0, 256, 32 * kib},
    {8, 0, 64, 32, 164 * kib, 163 * kib, kib, 128},
    {8, 6, 48, 16, 100 * kib, 99 * kib, kib, 128},
    {8, 7, 48, 16, 164 * kib, 163 * kib, kib, 128},
    {8, 9, 48, 24, 100 * kib, 99 * kib, kib, 128},
    {9, 0, 64, 32, 228 * kib, 227 * kib, kib, 128, 0, 64},
    {10, 0, 64, 32, 228 * kib, 227 * kib, kib, 128, 0, 64, 128},
    {10, 3, 64, 32, 228 * kib, 227 * kib, kib, 128, 0, 64, 128},
    {11, 0, 48, 24, 228 * kib, 227 * kib, kib, 128, 0, 24, 128},
    {12, 0, 48, 24, 100 * kib, 99 * kib, kib, 128, 0, 24, 128},
    {12, 1, 48, 24, 100 * kib, 99 * kib, kib, 128, 0, 24, 128},
};

/// The limits of a compute capability.
/// @throws std::invalid_argument if it is not among known_devices
constexpr DeviceLimits device_limits(int major, int minor) {
  for (const DeviceLimits& device : known_devices) {
    if (device.major == major && device.minor == minor) return device;
  }
  refuse(
      "unknown compute capability: known are 7.5, 8.0, 8.6, 8.7, 8.9, 9.0, 10.0, 10.3, 11.0, 12.0 and 12.1");
}

/// The sizes of shared memory that an SM can be configured for; what is left of its array is L1.
inline constexpr std::int64_t shared_configurations[]{0,         8 * kib,   16 * kib,  32 * kib,  64 * kib,
                                                      100 * kib, 132 * kib, 164 * kib, 196 * kib, 228 * kib};

/// The smallest configuration that holds so many bytes: at most DeviceLimits::shared_memory.
constexpr std::int64_t shared_configuration(const DeviceLimits& device, std::int64_t bytes) {
  for (const std::int64_t size : shared_configurations) {
    if (size >= bytes && size >= device.least_shared_memory) return size;
  }
  refuse("no multiprocessor has so much shared memory");
}

}  // namespace weft::model
