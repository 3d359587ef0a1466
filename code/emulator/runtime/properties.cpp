#include "emulator/runtime/properties.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <string>

#include "emulator/runtime/device.hpp"
#include "emulator/runtime/state.hpp"

namespace weft::emulator {
namespace {

/// The limits of textures and surfaces in the order of CUDA 12's structure: the same on all cards.
constexpr std::array<int, 40> texture_limits{
    131'072, 32'768, 268'435'456, 131'072, 65'536, 32'768, 32'768, 131'072, 65'000, 2'097'120,
    32'768,  32'768, 16'384,      16'384,  16'384, 8'192,  8'192,  32'768,  32'768, 32'768,
    2'048,   32'768, 32'768,      2'048,   32'768, 2'046,  32'768, 131'072, 65'536, 16'384,
    16'384,  16'384, 32'768,      2'048,   32'768, 32'768, 2'048,  32'768,  32'768, 2'046};
constexpr std::size_t linear_texture_limit = 2;  // not among CUDA 13's

/// What is the same on all cards and in all versions of the structure.
template <class Properties>
void fill_common(Properties& p) {
  const model::DeviceLimits limits = card().limits();
  const std::string name = std::string(card().full_name) + " (emulated)";
  std::ranges::copy(name, std::begin(p.name));
  std::ranges::copy(card().name, std::begin(p.uuid));
  p.totalGlobalMem = static_cast<std::size_t>(card().memory_bytes);
  p.sharedMemPerBlock = model::default_shared_per_block;
  p.regsPerBlock = model::registers_per_sm;
  p.warpSize = model::warp_size;
  p.memPitch = 0x7fffffff;
  p.maxThreadsPerBlock = model::max_threads_per_block;
  std::ranges::copy(std::array{1024, 1024, 64}, std::begin(p.maxThreadsDim));
  std::ranges::copy(std::array{0x7fffffff, 65'535, 65'535}, std::begin(p.maxGridSize));
  p.totalConstMem = 65'536;
  p.major = card().major;
  p.minor = card().minor;
  p.textureAlignment = 512;
  p.texturePitchAlignment = 32;
  p.multiProcessorCount = card().multiprocessors;
  p.canMapHostMemory = 1;
  p.surfaceAlignment = 512;
  p.concurrentKernels = 1;
  p.ECCEnabled = card().error_correction ? 1 : 0;
  p.pciBusID = 1;
  p.asyncEngineCount = card().copy_engines;
  p.unifiedAddressing = 1;
  p.memoryBusWidth = card().bus_bits;
  p.l2CacheSize = static_cast<int>(card().l2_bytes);
  p.maxThreadsPerMultiProcessor = limits.warps * model::warp_size;
  p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = 1;
  p.localL1CacheSupported = 1;
  p.sharedMemPerMultiprocessor = static_cast<std::size_t>(limits.shared_memory);
  p.regsPerMultiprocessor = model::registers_per_sm;
  p.managedMemory = 1;
  p.concurrentManagedAccess = 1;
  p.computePreemptionSupported = 1;
  p.canUseHostPointerForRegisteredMem = 1;
  p.cooperativeLaunch = 1;
  p.sharedMemPerBlockOptin = static_cast<std::size_t>(limits.shared_per_block);
  p.maxBlocksPerMultiProcessor = limits.blocks;
  p.reservedSharedMemPerBlock = static_cast<std::size_t>(limits.shared_reserved);
  p.hostRegisterSupported = 1;
  p.memoryPoolsSupported = 1;
  p.clusterLaunch = card().major >= 9 ? 1 : 0;
}

}  // namespace

Properties12 properties_of_device() {
  Properties12 p{};
  fill_common(p);
  std::ranges::copy(texture_limits, std::begin(p.textures));
  p.clockRate = card().clock_khz;
  p.memoryClockRate = card().memory_clock_khz;
  p.deviceOverlap = 1;
  p.singleToDoublePrecisionPerfRatio = card().double_ratio;
  return p;
}

Properties13 properties_of_device_13() {
  Properties13 p{};
  fill_common(p);
  auto* const rest = std::copy_n(texture_limits.begin(), linear_texture_limit, p.textures);
  std::copy(texture_limits.begin() + linear_texture_limit + 1, texture_limits.end(), rest);
  return p;
}

}  // namespace weft::emulator

using weft::emulator::note;
using weft::emulator::properties_11_bytes;
using weft::emulator::properties_of_device;

extern "C" {

/// cudaGetDeviceProperties of programs compiled for CUDA 11.
cudaError_t weft_device_properties_11(void* properties, int device) {
  if (properties == nullptr) return note(cudaErrorInvalidValue);
  if (device != 0) return note(cudaErrorInvalidDevice);
  const auto known = properties_of_device();
  std::memcpy(properties, &known, properties_11_bytes);
  return note(cudaSuccess);
}

/// cudaGetDeviceProperties of programs compiled for CUDA 12.
cudaError_t weft_device_properties_12(weft::emulator::Properties12* properties, int device) {
  if (properties == nullptr) return note(cudaErrorInvalidValue);
  if (device != 0) return note(cudaErrorInvalidDevice);
  *properties = properties_of_device();
  return note(cudaSuccess);
}

/// cudaGetDeviceProperties of programs compiled for CUDA 13.
cudaError_t weft_device_properties_13(weft::emulator::Properties13* properties, int device) {
  if (properties == nullptr) return note(cudaErrorInvalidValue);
  if (device != 0) return note(cudaErrorInvalidDevice);
  *properties = weft::emulator::properties_of_device_13();
  return note(cudaSuccess);
}

}  // extern "C"
