/// @file
/// Entry points about devices: there is one.

#include "emulator/runtime/device.hpp"

#include <cuda_runtime_api.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "emulator/memory/allocations.hpp"
#include "emulator/memory/device_heap.hpp"
#include "emulator/runtime/state.hpp"

namespace weft::emulator {
namespace {

constexpr const char* pci_bus_id = "0000:01:00.0";

/// What cudaDeviceSetLimit() sets, in bytes or calls. The heap of device code alone is bound by it.
struct Limits {
  std::mutex mutex;
  std::map<cudaLimit, std::size_t> values{{cudaLimitStackSize, 1024},
                                          {cudaLimitPrintfFifoSize, std::size_t{1} << 20},
                                          {cudaLimitMallocHeapSize, std::size_t{8} << 20},
                                          {cudaLimitDevRuntimeSyncDepth, 2},
                                          {cudaLimitDevRuntimePendingLaunchCount, 2048},
                                          {cudaLimitMaxL2FetchGranularity, 64},
                                          {cudaLimitPersistingL2CacheSize, 0}};
};

Limits& limits() {
  static auto* const instance = new Limits;
  return *instance;
}

unsigned device_flags = 0;

}  // namespace

const model::Card& card() {
  static const model::Card* const chosen = [] {
    const char* const name = std::getenv("WEFT_EMULATOR_DEVICE");
    const model::Card* const found = name != nullptr ? model::find_card(name) : nullptr;
    return found != nullptr ? found : &model::cards.front();
  }();
  return *chosen;
}

}  // namespace weft::emulator

using weft::emulator::limits;
using weft::emulator::note;

extern "C" {

/// Says whose runtime this is.
const char* weft_runtime() { return "emulator"; }

/// cudaRuntimeGetVersion of programs linked against CUDA 12.
cudaError_t weft_runtime_version_12(int* version) {
  *version = 12'090;
  return note(cudaSuccess);
}

/// cudaRuntimeGetVersion of programs linked against CUDA 13.
cudaError_t weft_runtime_version_13(int* version) {
  *version = 13'000;
  return note(cudaSuccess);
}

cudaError_t cudaDriverGetVersion(int* version) { return weft_runtime_version_13(version); }

cudaError_t cudaGetDeviceCount(int* count) {
  if (count == nullptr) return note(cudaErrorInvalidValue);
  *count = 1;
  return note(cudaSuccess);
}

cudaError_t cudaGetDevice(int* device) {
  if (device == nullptr) return note(cudaErrorInvalidValue);
  *device = 0;
  return note(cudaSuccess);
}

cudaError_t cudaSetDevice(int device) { return note(device == 0 ? cudaSuccess : cudaErrorInvalidDevice); }

cudaError_t cudaInitDevice(int device, unsigned /*device_flags*/, unsigned /*flags*/) {
  return cudaSetDevice(device);
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* /*wanted*/) { return cudaGetDevice(device); }

cudaError_t cudaSetValidDevices(int* devices, int count) {
  return note(count < 1 || devices[0] == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  weft::emulator::device_flags = flags;
  return note(cudaSuccess);
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  *flags = weft::emulator::device_flags | cudaDeviceMapHost;
  return note(cudaSuccess);
}

/// Gives all memory back but what variables live in.
cudaError_t cudaDeviceReset() {
  weft::emulator::device_memory().free_all();
  return note(cudaSuccess);
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int bytes, int device) {
  if (device != 0) return note(cudaErrorInvalidDevice);
  if (id == nullptr || std::cmp_less_equal(bytes, std::strlen(weft::emulator::pci_bus_id))) {
    return note(cudaErrorInvalidValue);
  }
  std::strcpy(id, weft::emulator::pci_bus_id);
  return note(cudaSuccess);
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  if (std::strcmp(id, weft::emulator::pci_bus_id) != 0) return note(cudaErrorInvalidDevice);
  return cudaGetDevice(device);
}

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  const std::scoped_lock lock(limits().mutex);
  const auto found = limits().values.find(limit);
  if (found == limits().values.end()) return note(cudaErrorUnsupportedLimit);
  *value = found->second;
  return note(cudaSuccess);
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  const std::scoped_lock lock(limits().mutex);
  const auto found = limits().values.find(limit);
  if (found == limits().values.end()) return note(cudaErrorUnsupportedLimit);
  found->second = value;
  if (limit == cudaLimitMallocHeapSize) weft::emulator::device_heap().set_limit(value);
  return note(cudaSuccess);
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  *config = cudaFuncCachePreferNone;
  return note(cudaSuccess);
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache /*config*/) { return note(cudaSuccess); }

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  *config = cudaSharedMemBankSizeFourByte;
  return note(cudaSuccess);
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig /*config*/) { return note(cudaSuccess); }

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return note(cudaSuccess);
}

cudaError_t cudaCtxResetPersistingL2Cache() { return note(cudaSuccess); }

cudaError_t cudaProfilerStart() { return note(cudaSuccess); }
cudaError_t cudaProfilerStop() { return note(cudaSuccess); }

/// Arrays are not provided, but their formats can be spelled.
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

// Peers: there is no other device.

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  *can = 0;
  return note(device == 0 && peer == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceEnablePeerAccess(int /*peer*/, unsigned /*flags*/) {
  return note(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return note(peer == 0 ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetP2PAttribute(int* /*value*/, cudaDeviceP2PAttr /*attribute*/, int /*from*/,
                                      int /*to*/) {
  return note(cudaErrorInvalidDevice);
}

}  // extern "C"
