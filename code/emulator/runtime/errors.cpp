/// @file
/// Names and texts of CUDA's errors, and the error state.

#include <cuda_runtime_api.h>

#include <array>

#include "emulator/runtime/state.hpp"

namespace {

struct Text {
  cudaError_t error;
  const char* name;
  const char* text;
};

constexpr std::array texts{
    Text{cudaSuccess, "cudaSuccess", "no error"},
    Text{cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    Text{cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    Text{cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    Text{cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    Text{cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    Text{cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    Text{cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
         "invalid copy direction for memcpy"},
    Text{cudaErrorMissingConfiguration, "cudaErrorMissingConfiguration",
         "__global__ function call is not configured"},
    Text{cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    Text{cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    Text{cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    Text{cudaErrorInvalidKernelImage, "cudaErrorInvalidKernelImage", "device kernel image is invalid"},
    Text{cudaErrorNoKernelImageForDevice, "cudaErrorNoKernelImageForDevice",
         "no kernel image is available for execution on the device"},
    Text{cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    Text{cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    Text{cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    Text{cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources",
         "too many resources requested for launch"},
    Text{cudaErrorAssert, "cudaErrorAssert", "device-side assert triggered"},
    Text{cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    Text{cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge",
         "too many blocks in cooperative launch"},
    Text{cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    Text{cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

const Text* find(cudaError_t error) {
  for (const Text& text : texts) {
    if (text.error == error) return &text;
  }
  return nullptr;
}

}  // namespace

extern "C" {

const char* cudaGetErrorName(cudaError_t error) {
  const Text* const found = find(error);
  return found != nullptr ? found->name : "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  const Text* const found = find(error);
  return found != nullptr ? found->text : "unrecognized error code";
}

cudaError_t cudaGetLastError() { return weft::emulator::take_last_error(); }
cudaError_t cudaPeekAtLastError() { return weft::emulator::last_error(); }

}  // extern "C"
