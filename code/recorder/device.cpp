// Entry points about devices, errors, streams and events. The one device is the card that the emulator takes
// if none is named, as far as steps ask.

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "model/cards.hpp"

namespace {

constexpr int warp_size = 32;
constexpr weft::model::Card card = weft::model::cards.front();
constexpr weft::model::DeviceLimits limits = card.limits();

/// A stream or event that nothing ever looks into.
template <typename Handle>
Handle token() {
  static char storage;
  return reinterpret_cast<Handle>(&storage);
}

CUresult encode_tensor_map(CUtensorMap* map) {
  std::memset(map, 0, sizeof *map);
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
const char* cudaGetErrorName(cudaError_t error) { return error == cudaSuccess ? "cudaSuccess" : "cudaError"; }
const char* cudaGetErrorString(cudaError_t error) {
  if (error == cudaSuccess) return "no error";
  thread_local char text[64];
  static_cast<void>(std::snprintf(text, sizeof text, "error %d of the recorder", static_cast<int>(error)));
  return text;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit) {
  *value = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(cudaLimit, std::size_t) { return cudaSuccess; }

// CUDA 12's headers rename this to cudaGetDeviceProperties_v2.
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  const std::string name = std::string(card.full_name) + " (recorder)";
  std::strncpy(properties->name, name.c_str(), sizeof properties->name - 1);
  properties->major = limits.major;
  properties->minor = limits.minor;
  properties->multiProcessorCount = card.multiprocessors;
  properties->totalGlobalMem = static_cast<std::size_t>(card.memory_bytes);
  properties->l2CacheSize = static_cast<int>(card.l2_bytes);
  properties->warpSize = warp_size;
  properties->maxThreadsPerBlock = weft::model::max_threads_per_block;
  properties->maxThreadsPerMultiProcessor = limits.warps * warp_size;
  properties->maxBlocksPerMultiProcessor = limits.blocks;
  properties->regsPerMultiprocessor = weft::model::registers_per_sm;
  properties->sharedMemPerMultiprocessor = static_cast<std::size_t>(limits.shared_memory);
  properties->sharedMemPerBlockOptin = static_cast<std::size_t>(limits.shared_per_block);
  properties->sharedMemPerBlock = weft::model::default_shared_per_block;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount:
      *value = card.multiprocessors;
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMajor:
      *value = limits.major;
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor:
      *value = limits.minor;
      return cudaSuccess;
    case cudaDevAttrL2CacheSize:
      *value = static_cast<int>(card.l2_bytes);
      return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = static_cast<int>(limits.shared_per_block);
      return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = static_cast<int>(limits.shared_memory);
      return cudaSuccess;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = limits.warps * warp_size;
      return cudaSuccess;
    case cudaDevAttrCooperativeLaunch:
      *value = 1;
      return cudaSuccess;
    default:
      static_cast<void>(std::fprintf(stderr, "recorder: device attribute %d is not provided\n", attribute));
      return cudaErrorInvalidValue;
  }
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  *stream = token<cudaStream_t>();
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) { return cudaStreamCreate(stream); }
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = token<cudaEvent_t>();
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) { return cudaEventCreate(event); }
cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }

cudaError_t cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t) {
  static_cast<void>(std::fputs("recorder: nothing runs, so nothing takes time\n", stderr));
  return cudaErrorNotSupported;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned,
                                             unsigned long long, cudaDriverEntryPointQueryResult* status) {
  *function = nullptr;
  if (std::string_view(symbol) == "cuTensorMapEncodeTiled") {
    *function =
        reinterpret_cast<void*>(&encode_tensor_map);  // the map comes first; what follows is not looked at
  } else {
    static_cast<void>(std::fprintf(stderr, "recorder: the driver's %s is not provided\n", symbol));
  }
  if (status != nullptr)
    *status = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status) {
  return cudaGetDriverEntryPointByVersion(symbol, function, CUDART_VERSION, flags, status);
}

}  // extern "C"
