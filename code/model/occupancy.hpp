#pragma once

/// @file
/// Theoretical occupancy: how many blocks of a kernel an SM can hold at once, and what limits them. The tests
/// hold it against NVIDIA's `cuda_occupancy.h`, and against Nsight Compute's figures for every launch of the
/// book.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "model/device_limits.hpp"
#include "model/refuse.hpp"
#include "model/warp.hpp"

namespace weft::model {

/// What one block of a kernel asks for, and how its kernel is set up.
struct Launch {
  int threads = 0;                  ///< per block, 1 to 1024
  int registers = 0;                ///< per thread, 0 to 255
  std::int64_t static_shared = 0;   ///< bytes per block
  std::int64_t dynamic_shared = 0;  ///< bytes per block
  int barriers = 1;                 ///< hardware barriers per block, 0 to 16; `__syncthreads` is one of them
  int virtual_resources = 0;        ///< per block
  /// Of shared memory, `cudaFuncAttributeMaxDynamicSharedMemorySize`; without it, as much as is asked for.
  std::optional<std::int64_t> most_dynamic_shared = std::nullopt;
  /// `cudaFuncAttributePreferredSharedMemoryCarveout`: shared memory's share of the most that an SM can have,
  /// in per cent; without it, the whole.
  std::optional<int> carveout = std::nullopt;
};

/// What an SM may run out of.
enum class Resource : std::uint8_t {
  blocks,
  registers,
  shared_memory,
  warps,
  barriers,
  virtual_resources,
};

/// Its place in what is told for each resource.
constexpr std::size_t index_of(Resource resource) { return static_cast<std::size_t>(resource); }

/// An amount for each Resource: registers of 32 bits, bytes of shared memory.
using PerResource = std::array<std::int64_t, 6>;

/// What an SM can hold.
struct Occupancy {
  PerResource available;      ///< of the SM; 0 bytes of shared memory if a block asks for too many
  PerResource taken;          ///< by each block, as it is allocated, with what the system takes
  std::array<int, 6> limits;  ///< blocks that each resource suffices for, or `unlimited`
  int blocks;                 ///< resident blocks per SM: the smallest limit; 0 if the launch is impossible
  int warps;                  ///< resident warps per SM
  double ratio;               ///< of the resident warps that the SM has room for: 0 to 1

  [[nodiscard]] constexpr int limit(Resource resource) const { return limits[index_of(resource)]; }
  /// Whether one more block would take more of this resource than there is.
  [[nodiscard]] constexpr bool limited_by(Resource resource) const { return limit(resource) == blocks; }

  constexpr bool operator==(const Occupancy&) const = default;
};

/// The next multiple of `granularity` that is not below `value`.
template <class Integer>
constexpr Integer round_up(Integer value, Integer granularity) {
  return (value + granularity - 1) / granularity * granularity;
}

/// Registers that a warp is given.
constexpr int registers_per_warp(int registers) {
  return round_up(registers * warp_size, register_granularity);
}

/// Blocks that the registers of an SM suffice for.
///
/// Registers are given to whole warps, and a warp lives in one of four partitions with a quarter of the
/// registers each: what is left over in a partition helps no other.
constexpr int blocks_by_registers(int warps_per_block, int registers) {
  if (registers == 0) return unlimited;
  const int warps_per_partition = registers_per_sm / sm_partitions / registers_per_warp(registers);
  return warps_per_partition * sm_partitions / warps_per_block;
}

/// Bytes that a block is given of shared memory.
constexpr std::int64_t shared_memory_per_block(const DeviceLimits& device, const Launch& launch) {
  return round_up(launch.static_shared + launch.dynamic_shared + device.shared_reserved,
                  device.shared_granularity);
}

/// Bytes of shared memory that an SM is configured for, or 0 if a block asks for more than it may.
///
/// That is what the kernel prefers, or what one block needs. The driver may choose a smaller configuration,
/// with more L1, for a kernel that prefers none: Nsight Compute's `launch__occupancy_limit_shared_mem` is the
/// limit under that one.
constexpr std::int64_t configured_shared_memory(const DeviceLimits& device, const Launch& launch) {
  const std::int64_t allocated = shared_memory_per_block(device, launch);
  if (launch.dynamic_shared > launch.most_dynamic_shared.value_or(launch.dynamic_shared)) return 0;
  if (allocated > device.shared_per_block + device.shared_reserved) return 0;
  const std::int64_t preferred = launch.carveout.value_or(100) * device.shared_memory / 100;
  return shared_configuration(device, std::max(shared_configuration(device, preferred), allocated));
}

/// How often `each` goes into what there is.
constexpr int blocks_by(std::int64_t available, std::int64_t each) {
  return each == 0 || available == unlimited ? unlimited : static_cast<int>(available / each);
}

/// Theoretical occupancy of a launch.
/// @throws std::invalid_argument for threads outside 1 to 1024, registers outside 0 to 255, barriers outside
/// 0 to 16, a carve-out outside 0 to 100, or what is negative
constexpr Occupancy occupancy(const DeviceLimits& device, const Launch& launch) {
  if (launch.threads < 1 || launch.threads > max_threads_per_block) refuse("a block has 1 to 1024 threads");
  if (launch.registers < 0 || launch.registers > max_registers_per_thread) {
    refuse("a thread has 0 to 255 registers");
  }
  if (launch.barriers < 0 || launch.barriers > max_barriers_per_block) refuse("a block has 0 to 16 barriers");
  if (launch.static_shared < 0 || launch.dynamic_shared < 0) refuse("shared memory is not negative");
  if (launch.virtual_resources < 0) refuse("virtual resources are not negative");
  if (launch.carveout.value_or(0) < 0 || launch.carveout.value_or(0) > 100) {
    refuse("a carve-out is 0 to 100 per cent");
  }
  const int warps_per_block = round_up(launch.threads, warp_size) / warp_size;
  Occupancy result{};
  result.available = {device.blocks, registers_per_sm, configured_shared_memory(device, launch),
                      device.warps,  device.barriers,  device.virtual_resources};
  result.taken = {1,
                  std::int64_t{registers_per_warp(launch.registers)} * warps_per_block,
                  shared_memory_per_block(device, launch),
                  warps_per_block,
                  launch.barriers,
                  launch.virtual_resources};
  std::ranges::transform(result.available, result.taken, result.limits.begin(), blocks_by);
  result.limits[index_of(Resource::registers)] = blocks_by_registers(warps_per_block, launch.registers);
  result.blocks = *std::ranges::min_element(result.limits);
  result.warps = result.blocks * warps_per_block;
  result.ratio = static_cast<double>(result.warps) / device.warps;
  return result;
}

/// How many times a grid fills a card whose multiprocessors hold so many of its blocks each: Nsight Compute's
/// `launch__waves_per_multiprocessor`.
constexpr double waves(std::int64_t grid, int resident_blocks, int multiprocessors) {
  return static_cast<double>(grid) / (static_cast<double>(resident_blocks) * multiprocessors);
}

}  // namespace weft::model
