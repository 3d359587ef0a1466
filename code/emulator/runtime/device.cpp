/// @file
/// Entry points about devices: there is one.

#include "emulator/runtime/device.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "emulator/runtime/state.hpp"
#include "model/occupancy.hpp"

namespace weft::emulator {
namespace {

constexpr int multiprocessors = 132;
constexpr std::size_t l2_bytes = std::size_t{60} << 20;
constexpr std::size_t default_shared_bytes = std::size_t{48} << 10;
constexpr model::DeviceLimits limits = model::device_limits(9, 0);

cudaDeviceProp properties_of_device() {
  cudaDeviceProp p{};
  constexpr std::string_view name = "NVIDIA H200 (emulated)";
  std::ranges::copy(name, std::begin(p.name));
  p.totalGlobalMem = device_bytes;
  p.sharedMemPerBlock = default_shared_bytes;
  p.sharedMemPerBlockOptin = static_cast<std::size_t>(limits.shared_per_block);
  p.sharedMemPerMultiprocessor = static_cast<std::size_t>(limits.shared_memory);
  p.reservedSharedMemPerBlock = 1024;
  p.regsPerBlock = model::registers_per_sm;
  p.regsPerMultiprocessor = model::registers_per_sm;
  p.warpSize = 32;
  p.memPitch = 0x7fffffff;
  p.maxThreadsPerBlock = model::max_threads_per_block;
  p.maxThreadsDim[0] = 1024;
  p.maxThreadsDim[1] = 1024;
  p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = 0x7fffffff;
  p.maxGridSize[1] = 65'535;
  p.maxGridSize[2] = 65'535;
  p.totalConstMem = 65'536;
  p.major = limits.major;
  p.minor = limits.minor;
  p.textureAlignment = 512;
  p.texturePitchAlignment = 32;
  p.multiProcessorCount = multiprocessors;
  p.canMapHostMemory = 1;
  p.concurrentKernels = 1;
  p.ECCEnabled = 1;
  p.asyncEngineCount = 3;
  p.unifiedAddressing = 1;
  p.memoryBusWidth = 6144;
  p.l2CacheSize = static_cast<int>(l2_bytes);
  p.maxThreadsPerMultiProcessor = limits.warps * 32;
  p.maxBlocksPerMultiProcessor = limits.blocks;
  p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = 1;
  p.localL1CacheSupported = 1;
  p.managedMemory = 1;
  p.concurrentManagedAccess = 1;
  p.cooperativeLaunch = 1;
  p.memoryPoolsSupported = 1;
  return p;
}

// clang-format off
/// @return -1 for an attribute that is not known here
int attribute_of_device(cudaDeviceAttr attribute) {
  const cudaDeviceProp p = properties_of_device();
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: return p.maxThreadsPerBlock;
    case cudaDevAttrMaxBlockDimX: return p.maxThreadsDim[0];
    case cudaDevAttrMaxBlockDimY: return p.maxThreadsDim[1];
    case cudaDevAttrMaxBlockDimZ: return p.maxThreadsDim[2];
    case cudaDevAttrMaxGridDimX: return p.maxGridSize[0];
    case cudaDevAttrMaxGridDimY: return p.maxGridSize[1];
    case cudaDevAttrMaxGridDimZ: return p.maxGridSize[2];
    case cudaDevAttrMaxSharedMemoryPerBlock: return static_cast<int>(p.sharedMemPerBlock);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: return static_cast<int>(p.sharedMemPerBlockOptin);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: return static_cast<int>(p.sharedMemPerMultiprocessor);
    case cudaDevAttrReservedSharedMemoryPerBlock: return static_cast<int>(p.reservedSharedMemPerBlock);
    case cudaDevAttrTotalConstantMemory: return static_cast<int>(p.totalConstMem);
    case cudaDevAttrWarpSize: return p.warpSize;
    case cudaDevAttrMaxPitch: return static_cast<int>(p.memPitch);
    case cudaDevAttrMaxRegistersPerBlock: return p.regsPerBlock;
    case cudaDevAttrMaxRegistersPerMultiprocessor: return p.regsPerMultiprocessor;
    case cudaDevAttrMultiProcessorCount: return p.multiProcessorCount;
    case cudaDevAttrMaxThreadsPerMultiProcessor: return p.maxThreadsPerMultiProcessor;
    case cudaDevAttrMaxBlocksPerMultiprocessor: return p.maxBlocksPerMultiProcessor;
    case cudaDevAttrComputeCapabilityMajor: return p.major;
    case cudaDevAttrComputeCapabilityMinor: return p.minor;
    case cudaDevAttrL2CacheSize: return p.l2CacheSize;
    case cudaDevAttrGlobalMemoryBusWidth: return p.memoryBusWidth;
    case cudaDevAttrClockRate: return 1'980'000;
    case cudaDevAttrMemoryClockRate: return 3'201'000;
    case cudaDevAttrConcurrentKernels: return p.concurrentKernels;
    case cudaDevAttrEccEnabled: return p.ECCEnabled;
    case cudaDevAttrAsyncEngineCount: return p.asyncEngineCount;
    case cudaDevAttrUnifiedAddressing: return p.unifiedAddressing;
    case cudaDevAttrManagedMemory: return p.managedMemory;
    case cudaDevAttrConcurrentManagedAccess: return p.concurrentManagedAccess;
    case cudaDevAttrCooperativeLaunch: return p.cooperativeLaunch;
    case cudaDevAttrMemoryPoolsSupported: return p.memoryPoolsSupported;
    case cudaDevAttrCanMapHostMemory: return p.canMapHostMemory;
    case cudaDevAttrIntegrated:
    case cudaDevAttrKernelExecTimeout:
    case cudaDevAttrComputeMode:
      return 0;
    default: return -1;
  }
}
// clang-format on

}  // namespace
}  // namespace weft::emulator

using weft::emulator::note;

extern "C" {

/// Says whose runtime this is.
const char* weft_runtime() { return "emulator"; }

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return note(cudaSuccess);
}

cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return note(cudaSuccess);
}

cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return note(cudaSuccess);
}

cudaError_t cudaSetDevice(int device) { return note(device == 0 ? cudaSuccess : cudaErrorInvalidDevice); }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device != 0) return note(cudaErrorInvalidDevice);
  *properties = weft::emulator::properties_of_device();
  return note(cudaSuccess);
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  if (device != 0) return note(cudaErrorInvalidDevice);
  *value = weft::emulator::attribute_of_device(attribute);
  if (*value >= 0) return note(cudaSuccess);
  weft::emulator::say_once("device attribute " + std::to_string(attribute) + " is not known here");
  return note(cudaErrorNotSupported);
}

}  // extern "C"
