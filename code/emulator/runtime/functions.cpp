#include "emulator/runtime/functions.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <mutex>
#include <string_view>

#include "emulator/runtime/device.hpp"
#include "emulator/runtime/state.hpp"

namespace weft::emulator {
namespace {

/// What a program has set for a kernel.
struct Settings {
  int dynamic_shared = -1;  ///< bytes; negative if never set
  int carveout = -1;
  int non_portable_cluster = 0;
};

struct AllSettings {
  std::mutex mutex;
  std::map<const Routine*, Settings> by_kernel;
};

AllSettings& settings() {
  static auto* const instance = new AllSettings;
  return *instance;
}

Settings settings_of(const Kernel& kernel) {
  const std::scoped_lock lock(settings().mutex);
  const auto found = settings().by_kernel.find(kernel.routine);
  return found != settings().by_kernel.end() ? found->second : Settings();
}

cudaError_t set(const Kernel& kernel, cudaFuncAttribute attribute, int value) {
  const std::int64_t room = card().limits().shared_per_block - resources_of(kernel).static_shared;
  const std::scoped_lock lock(settings().mutex);
  Settings& own = settings().by_kernel[kernel.routine];
  switch (attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
      if (value < 0 || value > room) return cudaErrorInvalidValue;
      own.dynamic_shared = value;
      return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
      if (value < -1 || value > 100) return cudaErrorInvalidValue;
      own.carveout = value;
      return cudaSuccess;
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
      own.non_portable_cluster = value;
      return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

/// @param target as the PTX names it: sm_90a, for instance
int architecture_of(std::string_view target) {
  int number = 0;
  target.remove_prefix(std::min<std::size_t>(target.size(), 3));
  std::from_chars(target.data(), target.data() + target.size(), number);
  return number;
}

cudaError_t get(const Kernel& kernel, cudaFuncAttributes& attributes) {
  const Resources needs = resources_of(kernel);
  const Settings own = settings_of(kernel);
  attributes = {};
  attributes.sharedSizeBytes = static_cast<std::size_t>(needs.static_shared);
  attributes.constSizeBytes = kernel.machine_code != nullptr ? kernel.machine_code->constant_bytes : 0;
  attributes.localSizeBytes = static_cast<std::size_t>(needs.local);
  attributes.maxThreadsPerBlock = needs.most_threads;
  attributes.numRegs = needs.registers;
  attributes.ptxVersion = architecture_of(kernel.program->module().target);
  attributes.binaryVersion = card().architecture();
  attributes.maxDynamicSharedSizeBytes = static_cast<int>(most_dynamic_shared(kernel));
  attributes.preferredShmemCarveout = own.carveout;
  attributes.nonPortableClusterSizeAllowed = own.non_portable_cluster;
  return cudaSuccess;
}

/// Runs `body` with a kernel that the program registered.
cudaError_t with_kernel(const void* function, const std::function<cudaError_t(const Kernel&)>& body) {
  return guarded(
      [&] {
        const Kernel kernel = find_kernel(function);
        return kernel.routine != nullptr ? body(kernel) : cudaErrorInvalidDeviceFunction;
      },
      cudaErrorInvalidKernelImage);
}

}  // namespace

Resources resources_of(const Kernel& kernel) {
  Resources needs;
  needs.static_shared = kernel.routine->shared_bytes;
  needs.local = kernel.routine->local_bytes;
  if (kernel.routine->most_threads != 0) needs.most_threads = kernel.routine->most_threads;
  needs.registers_architecture = card().architecture();
  if (kernel.machine_code == nullptr) {
    if (kernel.foreign_code != nullptr) {
      needs.registers = kernel.foreign_code->registers;
      needs.registers_architecture = kernel.foreign_architecture;
    }
    return needs;
  }
  needs.registers = kernel.machine_code->registers;
  needs.local = static_cast<std::int64_t>(kernel.machine_code->frame_bytes);
  needs.static_shared = static_cast<std::int64_t>(kernel.machine_code->shared_bytes);
  while (needs.registers > 0 && needs.most_threads > model::warp_size &&
         model::blocks_by_registers((needs.most_threads + 31) / 32, needs.registers) == 0) {
    needs.most_threads -= model::warp_size;
  }
  return needs;
}

std::int64_t most_dynamic_shared(const Kernel& kernel) {
  const int set = settings_of(kernel).dynamic_shared;
  return set >= 0 ? set
                  : std::max<std::int64_t>(
                        0, model::default_shared_per_block - resources_of(kernel).static_shared);
}

model::Occupancy occupancy_of(const Kernel& kernel, int threads, std::int64_t dynamic_shared) {
  const Resources needs = resources_of(kernel);
  return model::occupancy(card().limits(), {.threads = threads,
                                            .registers = needs.registers,
                                            .static_shared = needs.static_shared,
                                            .dynamic_shared = dynamic_shared});
}

}  // namespace weft::emulator

using weft::emulator::Kernel;
using weft::emulator::note;
using weft::emulator::with_kernel;

extern "C" {

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  if (attributes == nullptr) return note(cudaErrorInvalidValue);
  return with_kernel(function,
                     [&](const Kernel& kernel) { return weft::emulator::get(kernel, *attributes); });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return with_kernel(function,
                     [&](const Kernel& kernel) { return weft::emulator::set(kernel, attribute, value); });
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute, int value,
                                            int device) {
  return device == 0 ? cudaFuncSetAttribute(kernel, attribute, value) : note(cudaErrorInvalidDevice);
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache /*config*/) {
  return with_kernel(function, [](const Kernel& /*kernel*/) { return cudaSuccess; });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig /*config*/) {
  return with_kernel(function, [](const Kernel& /*kernel*/) { return cudaSuccess; });
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  if (name == nullptr) return note(cudaErrorInvalidValue);
  return with_kernel(function, [&](const Kernel& kernel) {
    *name = kernel.routine->name.c_str();
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset,
                                 std::size_t* bytes) {
  return with_kernel(function, [&](const Kernel& kernel) {
    const auto& places = kernel.routine->parameter_places;
    if (index >= places.size() || offset == nullptr) return cudaErrorInvalidValue;
    *offset = places[index].offset;
    if (bytes != nullptr) *bytes = places[index].bytes;
    return cudaSuccess;
  });
}

/// A kernel's handles are its stub's address.
cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* symbol) {
  return with_kernel(symbol, [&](const Kernel& /*kernel*/) {
    *function = static_cast<cudaFunction_t>(const_cast<void*>(symbol));
    return cudaSuccess;
  });
}

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* symbol) {
  return with_kernel(symbol, [&](const Kernel& /*found*/) {
    *kernel = static_cast<cudaKernel_t>(const_cast<void*>(symbol));
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                   int threads, std::size_t shared,
                                                                   unsigned /*flags*/) {
  return with_kernel(function, [&](const Kernel& kernel) {
    if (blocks == nullptr || threads < 1) return cudaErrorInvalidValue;
    const bool fits = threads <= resources_of(kernel).most_threads;
    const auto dynamic = static_cast<std::int64_t>(shared);
    *blocks = fits ? weft::emulator::occupancy_of(kernel, threads, dynamic).blocks : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                          std::size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* function, int blocks,
                                                      int threads) {
  return with_kernel(function, [&](const Kernel& kernel) {
    if (bytes == nullptr || blocks < 1 || threads < 1 || threads > 1024) return cudaErrorInvalidValue;
    const auto limits = weft::emulator::card().limits();
    const std::int64_t share =
        limits.shared_memory / blocks / limits.shared_granularity * limits.shared_granularity;
    const std::int64_t room = std::min(share - limits.shared_reserved, limits.shared_per_block);
    const std::int64_t left = room - weft::emulator::resources_of(kernel).static_shared;
    if (weft::emulator::occupancy_of(kernel, threads, 0).blocks < blocks) return cudaErrorInvalidValue;
    *bytes = static_cast<std::size_t>(std::max<std::int64_t>(left, 0));
    return cudaSuccess;
  });
}

}  // extern "C"
