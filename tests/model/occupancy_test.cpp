// Our occupancy against NVIDIA's own calculator, cuda_occupancy.h, over everything that can be launched.

#include "model/occupancy.hpp"

#include <cuda_occupancy.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

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
// Two resources may run out at once.
static_assert(occupancy(device_limits(9, 0), {.threads = 64, .registers = 32}).limited_by(Resource::blocks));
static_assert(occupancy(device_limits(9, 0), {.threads = 64, .registers = 32}).limited_by(Resource::warps));
// With three barriers to a block, 64 are enough for 21 of them.
static_assert(occupancy(device_limits(9, 0), {.threads = 64, .registers = 32, .barriers = 3}).blocks == 21);

TEST_CASE("impossible requests are refused") {
  const DeviceLimits device = device_limits(9, 0);
  CHECK_THROWS_AS(device_limits(3, 5), std::invalid_argument);
  for (const Launch& launch :
       {Launch{.threads = 0}, Launch{.threads = 1025}, Launch{.threads = 32, .registers = -1},
        Launch{.threads = 32, .registers = 256}, Launch{.threads = 32, .static_shared = -1},
        Launch{.threads = 32, .dynamic_shared = -1}, Launch{.threads = 32, .barriers = -1},
        Launch{.threads = 32, .barriers = 17}, Launch{.threads = 32, .virtual_resources = -1},
        Launch{.threads = 32, .carveout = -1}, Launch{.threads = 32, .carveout = 101}}) {
    CHECK_THROWS_AS(occupancy(device, launch), std::invalid_argument);
  }
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
  properties.sharedMemPerBlock = default_shared_per_block;
  properties.sharedMemPerMultiprocessor = static_cast<std::size_t>(device.shared_memory);
  properties.numSms = 1;
  properties.sharedMemPerBlockOptin = static_cast<std::size_t>(device.shared_per_block);
  properties.reservedSharedMemPerBlock = static_cast<std::size_t>(device.shared_reserved);
  return properties;
}

/// What NVIDIA's calculator takes and we take in another way.
struct Setup {
  bool opted_in = true;
  cudaOccCacheConfig cache = CACHE_PREFER_NONE;
  cudaOccPartitionedGCConfig partitioned = PARTITIONED_GC_OFF;  // nothing since Volta has it
};

/// The share of shared memory that an older way of asking for it means.
std::optional<int> carveout_of(cudaOccCacheConfig cache) {
  switch (cache) {
    case CACHE_PREFER_SHARED:
      return SHAREDMEM_CARVEOUT_MAX_SHARED;
    case CACHE_PREFER_L1:
      return SHAREDMEM_CARVEOUT_MAX_L1;
    case CACHE_PREFER_EQUAL:
      return SHAREDMEM_CARVEOUT_HALF;
    case CACHE_PREFER_NONE:
      break;
  }
  return std::nullopt;
}

Occupancy our_occupancy(const DeviceLimits& device, Launch launch, const Setup& setup) {
  if (!setup.opted_in) launch.most_dynamic_shared = default_shared_per_block - launch.static_shared;
  if (!launch.carveout) launch.carveout = carveout_of(setup.cache);
  return occupancy(device, launch);
}

cudaOccResult nvidia_occupancy(const cudaOccDeviceProp& properties, const Launch& launch,
                               const Setup& setup) {
  cudaOccFuncAttributes kernel;
  kernel.maxThreadsPerBlock = max_threads_per_block;
  kernel.numRegs = launch.registers;
  kernel.sharedSizeBytes = static_cast<std::size_t>(launch.static_shared);
  kernel.partitionedGCConfig = setup.partitioned;
  kernel.shmemLimitConfig = setup.opted_in ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
  kernel.maxDynamicSharedSizeBytes =
      static_cast<std::size_t>(launch.most_dynamic_shared.value_or(launch.dynamic_shared));
  kernel.numBlockBarriers = launch.barriers;
  kernel.virtualResourceCount = launch.virtual_resources;
  cudaOccDeviceState state;
  state.cacheConfig = setup.cache;
  state.carveoutConfig = launch.carveout.value_or(SHAREDMEM_CARVEOUT_DEFAULT);
  cudaOccResult result;
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &properties, &kernel, &state, launch.threads, static_cast<std::size_t>(launch.dynamic_shared));
  if (error != CUDA_OCC_SUCCESS) throw std::runtime_error("cuda_occupancy.h refuses the launch");
  return result;
}

/// The resources that limit a launch, as NVIDIA's calculator reports them.
///
/// It finds out what limits the blocks before it looks at barriers. Where these alone limit them, it goes on
/// to name what would have limited them otherwise; we do not.
unsigned limiting_factors(const Occupancy& ours) {
  constexpr std::array factors{OCC_LIMIT_BLOCKS, OCC_LIMIT_REGISTERS, OCC_LIMIT_SHARED_MEMORY,
                               OCC_LIMIT_WARPS,  OCC_LIMIT_BARRIERS,  OCC_LIMIT_VIRTUAL_RESOURCES};
  const auto barriers = index_of(Resource::barriers);
  int others = unlimited;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (i != barriers) others = std::min(others, ours.limits[i]);
  }
  unsigned found = 0;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (ours.limits[i] == (i == barriers ? ours.blocks : others)) found |= factors[i];
  }
  return found;
}

bool agree(const Occupancy& ours, const cudaOccResult& theirs) {
  return ours.limits == std::array{theirs.blockLimitBlocks,    theirs.blockLimitRegs,
                                   theirs.blockLimitSharedMem, theirs.blockLimitWarps,
                                   theirs.blockLimitBarriers,  theirs.blockLimitVirtual} &&
         ours.blocks == theirs.activeBlocksPerMultiprocessor &&
         ours.taken[index_of(Resource::registers)] == theirs.allocatedRegistersPerBlock &&
         std::cmp_equal(ours.taken[index_of(Resource::shared_memory)], theirs.allocatedSharedMemPerBlock) &&
         limiting_factors(ours) == theirs.limitingFactors && theirs.partitionedGCConfig == PARTITIONED_GC_OFF;
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

  void compare(const Launch& launch, const Setup& setup = {}) {
    ++launches_;
    const cudaOccResult theirs = nvidia_occupancy(properties_, launch, setup);
    if (agree(our_occupancy(device_, launch, setup), theirs)) return;
    if (different_++ == 0) first_ = launch;
  }

  void check() const {
    CAPTURE(device_.major);
    CAPTURE(device_.minor);
    CAPTURE(first_.threads);
    CAPTURE(first_.registers);
    CAPTURE(first_.static_shared);
    CAPTURE(first_.dynamic_shared);
    CAPTURE(first_.barriers);
    CAPTURE(first_.virtual_resources);
    CAPTURE(first_.most_dynamic_shared.value_or(-1));
    CAPTURE(first_.carveout.value_or(-1));
    CHECK(different_ == 0);
    CHECK(launches_ > 0);
  }

  [[nodiscard]] const DeviceLimits& device() const { return device_; }

 private:
  DeviceLimits device_;
  cudaOccDeviceProp properties_;
  std::int64_t launches_ = 0;
  std::int64_t different_ = 0;
  Launch first_{};
};

template <class Launches>
void compare_on_all_devices(Launches launches) {
  for (const DeviceLimits& device : devices_known_to_nvidia()) {
    Comparison comparison(device);
    launches(comparison);
    comparison.check();
  }
}

/// Amounts of shared memory at which a block is given more: the last byte before each, the first byte of
/// each, and what no block can have.
std::vector<std::int64_t> steps_of_shared_memory(const DeviceLimits& device) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t bytes = 0; bytes <= device.shared_memory + kib; bytes += device.shared_granularity) {
    sizes.push_back(bytes);
    sizes.push_back(bytes + 1);
  }
  return sizes;
}

TEST_CASE("every block size with every number of registers") {
  compare_on_all_devices([](Comparison& comparison) {
    for (int threads = 1; threads <= max_threads_per_block; ++threads) {
      for (int registers = 0; registers <= max_registers_per_thread; ++registers) {
        comparison.compare({.threads = threads, .registers = registers});
      }
    }
  });
}

TEST_CASE("every number of warps with every allocation of registers and of shared memory") {
  compare_on_all_devices([](Comparison& comparison) {
    const std::vector<std::int64_t> sizes = steps_of_shared_memory(comparison.device());
    for (int warps = 1; warps <= max_threads_per_block / warp_size; ++warps) {
      for (int more_than = -8; more_than < max_registers_per_thread; more_than += 8) {
        const int registers = std::max(0, more_than + 1);
        for (const std::int64_t bytes : sizes) {
          comparison.compare({.threads = warps * warp_size, .registers = registers, .static_shared = bytes});
        }
      }
    }
  });
}

TEST_CASE("every byte of shared memory, static and dynamic, whether the kernel opted in or not") {
  compare_on_all_devices([](Comparison& comparison) {
    for (std::int64_t bytes = 0; bytes <= comparison.device().shared_memory + kib; ++bytes) {
      for (const bool opted_in : {false, true}) {
        const Setup setup{.opted_in = opted_in};
        comparison.compare({.threads = 256, .registers = 32, .dynamic_shared = bytes}, setup);
        comparison.compare({.threads = 64, .registers = 168, .static_shared = bytes}, setup);
        comparison.compare({.threads = 32, .static_shared = bytes / 2, .dynamic_shared = bytes - bytes / 2},
                           setup);
      }
    }
  });
}

TEST_CASE("every carve-out, and every older preference, with every allocation of shared memory") {
  compare_on_all_devices([](Comparison& comparison) {
    for (const std::int64_t bytes : steps_of_shared_memory(comparison.device())) {
      const Launch launch{.threads = 32, .registers = 32, .dynamic_shared = bytes};
      for (const auto cache : {CACHE_PREFER_NONE, CACHE_PREFER_SHARED, CACHE_PREFER_L1, CACHE_PREFER_EQUAL}) {
        comparison.compare(launch, {.cache = cache});
      }
      for (int percent = 0; percent <= 100; ++percent) {
        Launch preferring = launch;
        preferring.carveout = percent;
        comparison.compare(preferring, {.cache = CACHE_PREFER_EQUAL});
      }
    }
  });
}

TEST_CASE("every number of barriers and of virtual resources with every number of warps") {
  compare_on_all_devices([](Comparison& comparison) {
    for (int threads = 32; threads <= max_threads_per_block; threads += 32) {
      for (int barriers = 0; barriers <= max_barriers_per_block; ++barriers) {
        for (int resources = 0; resources <= 130; ++resources) {
          comparison.compare(
              {.threads = threads, .registers = 40, .barriers = barriers, .virtual_resources = resources});
        }
      }
    }
  });
}

TEST_CASE("launches at random, in all that there is to choose") {
  std::mt19937 random(0);
  const auto up_to = [&](std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most)(random);
  };
  compare_on_all_devices([&](Comparison& comparison) {
    for (int i = 0; i < 100'000; ++i) {
      const std::int64_t bytes = up_to(comparison.device().shared_memory + kib) >> up_to(8);
      Launch launch{.threads = static_cast<int>(1 + up_to(max_threads_per_block - 1)),
                    .registers = static_cast<int>(up_to(max_registers_per_thread)),
                    .static_shared = up_to(bytes),
                    .barriers = static_cast<int>(up_to(max_barriers_per_block)),
                    .virtual_resources = static_cast<int>(up_to(40))};
      launch.dynamic_shared = bytes - launch.static_shared;
      if (up_to(1) == 1) launch.most_dynamic_shared = up_to(comparison.device().shared_per_block);
      if (up_to(1) == 1) launch.carveout = static_cast<int>(up_to(100));
      comparison.compare(launch, {.opted_in = up_to(3) > 0,
                                  .cache = static_cast<cudaOccCacheConfig>(up_to(3)),
                                  .partitioned = static_cast<cudaOccPartitionedGCConfig>(up_to(2))});
    }
  });
}

}  // namespace
