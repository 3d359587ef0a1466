// Our occupancy against NVIDIA's own calculator, cuda_occupancy.h, over everything that can be launched.

#include <cuda_occupancy.h>
#include <doctest/doctest.h>

#include <set>
#include <stdexcept>
#include <vector>

#include "model/occupancy.hpp"

using namespace weft::model;

namespace {

// An H200 runs 8 blocks of 256 threads with 32 registers: full.
static_assert(occupancy(device_limits(9, 0), {.threads = 256, .registers = 32}).ratio == 1.0);
// One register more is rounded up to 40 per thread: 12 warps in each partition, 48 in all.
static_assert(occupancy(device_limits(9, 0), {.threads = 256, .registers = 33}).warps == 48);
// A padded 32 x 32 tile of floats does not limit blocks of 256 threads.
static_assert(
    occupancy(device_limits(9, 0), {.threads = 256, .registers = 32, .static_shared = 4224}).ratio == 1.0);
// 1024 threads with 65 registers do not fit at all.
static_assert(occupancy(device_limits(9, 0), {.threads = 1024, .registers = 65}).blocks == 0);

TEST_CASE("the published limits of an element-wise add on an Ada card") {
  // Its SM was configured for 16 KiB of shared memory; blocks of 256 threads, then of 64.
  DeviceLimits ada = device_limits(8, 9);
  ada.shared_memory = 16 * kib;
  const Occupancy scalar = occupancy(ada, {.threads = 256, .registers = 16});
  CHECK(scalar.limit_blocks == 24);
  CHECK(scalar.limit_registers == 16);
  CHECK(scalar.limit_shared_mem == 16);
  CHECK(scalar.limit_warps == 6);
  CHECK(scalar.warps == 48);
  CHECK(occupancy(ada, {.threads = 64, .registers = 16}).limit_warps == 24);
}

TEST_CASE("impossible requests are refused") {
  const DeviceLimits device = device_limits(9, 0);
  CHECK_THROWS_AS(device_limits(3, 5), std::invalid_argument);
  CHECK_THROWS_AS(occupancy(device, {.threads = 0, .registers = 32}), std::invalid_argument);
  CHECK_THROWS_AS(occupancy(device, {.threads = 1025, .registers = 32}), std::invalid_argument);
  CHECK_THROWS_AS(occupancy(device, {.threads = 32, .registers = 0}), std::invalid_argument);
  CHECK_THROWS_AS(occupancy(device, {.threads = 32, .registers = 256}), std::invalid_argument);
  CHECK_THROWS_AS(occupancy(device, {.threads = 32, .registers = 32, .static_shared = -1}),
                  std::invalid_argument);
  CHECK_THROWS_AS(occupancy(device, {.threads = 32, .registers = 32, .dynamic_shared = -1}),
                  std::invalid_argument);
}

/// The device as NVIDIA's calculator wants it: what the driver reports for such a card.
cudaOccDeviceProp nvidia_device(const DeviceLimits& device) {
  cudaOccDeviceProp properties;
  properties.computeMajor = device.major;
  properties.computeMinor = device.minor;
  properties.maxThreadsPerBlock = max_threads_per_block;
  properties.maxThreadsPerMultiprocessor = device.warps * warp_size;
  properties.regsPerBlock = registers_per_sm;
  properties.regsPerMultiprocessor = registers_per_sm;
  properties.warpSize = warp_size;
  properties.sharedMemPerBlock = 48 * kib;
  properties.sharedMemPerMultiprocessor = static_cast<std::size_t>(device.shared_memory);
  properties.numSms = 1;
  properties.sharedMemPerBlockOptin = static_cast<std::size_t>(device.shared_per_block);
  properties.reservedSharedMemPerBlock = static_cast<std::size_t>(device.shared_reserved);
  return properties;
}

Occupancy nvidia_occupancy(const DeviceLimits& device, const cudaOccDeviceProp& properties,
                           const Launch& launch) {
  cudaOccFuncAttributes kernel;
  kernel.maxThreadsPerBlock = max_threads_per_block;
  kernel.numRegs = launch.registers;
  kernel.sharedSizeBytes = static_cast<std::size_t>(launch.static_shared);
  kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  kernel.maxDynamicSharedSizeBytes = static_cast<std::size_t>(launch.dynamic_shared);
  kernel.numBlockBarriers = 1;
  const cudaOccDeviceState state;
  cudaOccResult result;
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &properties, &kernel, &state, launch.threads, static_cast<std::size_t>(launch.dynamic_shared));
  if (error != CUDA_OCC_SUCCESS) throw std::runtime_error("cuda_occupancy.h refuses the launch");
  const int warps = result.activeBlocksPerMultiprocessor * ((launch.threads + warp_size - 1) / warp_size);
  return {result.blockLimitBlocks,
          result.blockLimitRegs,
          result.blockLimitSharedMem,
          result.blockLimitWarps,
          result.activeBlocksPerMultiprocessor,
          warps,
          static_cast<double>(warps) / device.warps};
}

/// The devices that this toolkit's calculator knows: an older one stops at Hopper.
std::vector<DeviceLimits> devices_known_to_nvidia() {
  std::vector<DeviceLimits> devices;
  for (const DeviceLimits& device : known_devices) {
    if (device.major <= __CUDA_OCC_MAJOR__) devices.push_back(device);
  }
  return devices;
}

/// Compares both calculators and remembers the first launch on which they differ.
class Comparison {
 public:
  explicit Comparison(const DeviceLimits& device) : device_(device), properties_(nvidia_device(device)) {}

  void compare(const Launch& launch) {
    ++launches_;
    const Occupancy ours = occupancy(device_, launch);
    if (ours == nvidia_occupancy(device_, properties_, launch)) return;
    if (different_++ == 0) first_ = launch;
  }

  void check() const {
    CAPTURE(device_.major);
    CAPTURE(device_.minor);
    CAPTURE(first_.threads);
    CAPTURE(first_.registers);
    CAPTURE(first_.static_shared);
    CAPTURE(first_.dynamic_shared);
    CHECK(different_ == 0);
    CHECK(launches_ > 0);
  }

  [[nodiscard]] std::int64_t launches() const { return launches_; }

 private:
  DeviceLimits device_;
  cudaOccDeviceProp properties_;
  std::int64_t launches_ = 0;
  std::int64_t different_ = 0;
  Launch first_{};
};

/// Amounts of shared memory around every change that matters: granularity, default and opt-in limits, and the
/// shares of 1 to 32 blocks.
std::set<std::int64_t> interesting_shared_memory(const DeviceLimits& device) {
  std::set<std::int64_t> sizes;
  const auto around = [&](std::int64_t size) {
    for (const std::int64_t near : {size - 1, size, size + 1}) {
      if (near >= 0) sizes.insert(near);
    }
  };
  for (const std::int64_t size :
       {std::int64_t{0}, device.shared_granularity, 48 * kib, device.shared_per_block})
    around(size);
  for (const std::int64_t blocks : {2, 3, 5, 8, 16, 32})
    around(device.shared_memory / blocks - device.shared_reserved);
  return sizes;
}

TEST_CASE("every block size with every number of registers, over shared memory") {
  std::int64_t launches = 0;
  for (const DeviceLimits& device : devices_known_to_nvidia()) {
    Comparison comparison(device);
    for (const std::int64_t bytes : interesting_shared_memory(device)) {
      for (int threads = 1; threads <= max_threads_per_block; ++threads) {
        for (int registers = 1; registers <= max_registers_per_thread; ++registers) {
          comparison.compare({threads, registers, bytes / 2, bytes - bytes / 2});
        }
      }
    }
    comparison.check();
    launches += comparison.launches();
  }
  MESSAGE(launches, " launches compared");
}

TEST_CASE("every byte of shared memory, static and dynamic") {
  for (const DeviceLimits& device : devices_known_to_nvidia()) {
    Comparison comparison(device);
    for (std::int64_t bytes = 0; bytes <= device.shared_memory + kib; ++bytes) {
      comparison.compare({.threads = 256, .registers = 32, .dynamic_shared = bytes});
      comparison.compare({.threads = 64, .registers = 168, .static_shared = bytes});
    }
    comparison.check();
  }
}

}  // namespace
