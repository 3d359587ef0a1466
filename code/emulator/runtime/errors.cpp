/// @file
/// Names and texts of CUDA's errors, and the error state.

#include <cuda_runtime_api.h>

#include <array>
#include <string>

#include "emulator/runtime/state.hpp"

namespace {

struct Text {
  int error;  ///< a number, because older toolkits do not name all of them
  const char* name;
  const char* text;
};

// clang-format off
constexpr std::array texts{
    Text{0, "cudaSuccess", "no error"},
    Text{1, "cudaErrorInvalidValue", "invalid argument"},
    Text{2, "cudaErrorMemoryAllocation", "out of memory"},
    Text{3, "cudaErrorInitializationError", "initialization error"},
    Text{4, "cudaErrorCudartUnloading", "driver shutting down"},
    Text{5, "cudaErrorProfilerDisabled", "profiler disabled while using external profiling tool"},
    Text{6, "cudaErrorProfilerNotInitialized", "profiler not initialized: call cudaProfilerInitialize()"},
    Text{7, "cudaErrorProfilerAlreadyStarted", "profiler already started"},
    Text{8, "cudaErrorProfilerAlreadyStopped", "profiler already stopped"},
    Text{9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    Text{12, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    Text{13, "cudaErrorInvalidSymbol", "invalid device symbol"},
    Text{16, "cudaErrorInvalidHostPointer", "invalid host pointer"},
    Text{17, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    Text{18, "cudaErrorInvalidTexture", "invalid texture reference"},
    Text{19, "cudaErrorInvalidTextureBinding", "texture is not bound to a pointer"},
    Text{20, "cudaErrorInvalidChannelDescriptor", "invalid channel descriptor"},
    Text{21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    Text{22, "cudaErrorAddressOfConstant", "invalid address of constant"},
    Text{23, "cudaErrorTextureFetchFailed", "fetch from texture failed"},
    Text{24, "cudaErrorTextureNotBound", "cannot fetch from a texture that is not bound"},
    Text{25, "cudaErrorSynchronizationError", "incorrect use of __syncthreads()"},
    Text{26, "cudaErrorInvalidFilterSetting", "linear filtering not supported for non-float type"},
    Text{27, "cudaErrorInvalidNormSetting", "read as normalized float not supported for data type"},
    Text{28, "cudaErrorMixedDeviceExecution", "device emulation mode and device execution mode cannot be mixed"},
    Text{31, "cudaErrorNotYetImplemented", "feature not yet implemented"},
    Text{32, "cudaErrorMemoryValueTooLarge", "memory size or pointer value too large to fit in 32 bit"},
    Text{34, "cudaErrorStubLibrary", "CUDA driver is a stub library"},
    Text{35, "cudaErrorInsufficientDriver", "CUDA driver version is insufficient for CUDA runtime version"},
    Text{36, "cudaErrorCallRequiresNewerDriver", "API call is not supported in the installed CUDA driver"},
    Text{37, "cudaErrorInvalidSurface", "invalid surface reference"},
    Text{43, "cudaErrorDuplicateVariableName", "duplicate global variable looked up by string name"},
    Text{44, "cudaErrorDuplicateTextureName", "duplicate texture looked up by string name"},
    Text{45, "cudaErrorDuplicateSurfaceName", "duplicate surface looked up by string name"},
    Text{46, "cudaErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable"},
    Text{49, "cudaErrorIncompatibleDriverContext", "incompatible driver context"},
    Text{52, "cudaErrorMissingConfiguration", "__global__ function call is not configured"},
    Text{53, "cudaErrorPriorLaunchFailure", "unspecified launch failure in prior launch"},
    Text{65, "cudaErrorLaunchMaxDepthExceeded", "launch would exceed maximum depth of nested launches"},
    Text{66, "cudaErrorLaunchFileScopedTex", "launch failed because kernel uses unsupported, file-scoped textures (texture objects are supported)"},
    Text{67, "cudaErrorLaunchFileScopedSurf", "launch failed because kernel uses unsupported, file-scoped surfaces (surface objects are supported)"},
    Text{68, "cudaErrorSyncDepthExceeded", "cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth"},
    Text{69, "cudaErrorLaunchPendingCountExceeded", "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount"},
    Text{98, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    Text{100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    Text{101, "cudaErrorInvalidDevice", "invalid device ordinal"},
    Text{102, "cudaErrorDeviceNotLicensed", "device doesn't have valid Grid license"},
    Text{103, "cudaErrorSoftwareValidityNotEstablished", "integrity checks failed"},
    Text{127, "cudaErrorStartupFailure", "startup failure in cuda runtime"},
    Text{200, "cudaErrorInvalidKernelImage", "device kernel image is invalid"},
    Text{201, "cudaErrorDeviceUninitialized", "invalid device context"},
    Text{205, "cudaErrorMapBufferObjectFailed", "mapping of buffer object failed"},
    Text{206, "cudaErrorUnmapBufferObjectFailed", "unmapping of buffer object failed"},
    Text{207, "cudaErrorArrayIsMapped", "array is mapped"},
    Text{208, "cudaErrorAlreadyMapped", "resource already mapped"},
    Text{209, "cudaErrorNoKernelImageForDevice", "no kernel image is available for execution on the device"},
    Text{210, "cudaErrorAlreadyAcquired", "resource already acquired"},
    Text{211, "cudaErrorNotMapped", "resource not mapped"},
    Text{212, "cudaErrorNotMappedAsArray", "resource not mapped as array"},
    Text{213, "cudaErrorNotMappedAsPointer", "resource not mapped as pointer"},
    Text{214, "cudaErrorECCUncorrectable", "uncorrectable ECC error encountered"},
    Text{215, "cudaErrorUnsupportedLimit", "limit is not supported on this architecture"},
    Text{216, "cudaErrorDeviceAlreadyInUse", "exclusive-thread device already in use by a different thread"},
    Text{217, "cudaErrorPeerAccessUnsupported", "peer access is not supported between these two devices"},
    Text{218, "cudaErrorInvalidPtx", "a PTX JIT compilation failed"},
    Text{219, "cudaErrorInvalidGraphicsContext", "invalid OpenGL or DirectX context"},
    Text{220, "cudaErrorNvlinkUncorrectable", "uncorrectable NVLink error detected during the execution"},
    Text{221, "cudaErrorJitCompilerNotFound", "PTX JIT compiler library not found"},
    Text{222, "cudaErrorUnsupportedPtxVersion", "the provided PTX was compiled with an unsupported toolchain."},
    Text{223, "cudaErrorJitCompilationDisabled", "PTX JIT compilation was disabled"},
    Text{224, "cudaErrorUnsupportedExecAffinity", "the provided execution affinity is not supported"},
    Text{225, "cudaErrorUnsupportedDevSideSync", "the provided PTX contains unsupported call to cudaDeviceSynchronize"},
    Text{226, "cudaErrorContained", "Invalid access of peer GPU memory over nvlink or a hardware error"},
    Text{300, "cudaErrorInvalidSource", "device kernel image is invalid"},
    Text{301, "cudaErrorFileNotFound", "file not found"},
    Text{302, "cudaErrorSharedObjectSymbolNotFound", "shared object symbol not found"},
    Text{303, "cudaErrorSharedObjectInitFailed", "shared object initialization failed"},
    Text{304, "cudaErrorOperatingSystem", "OS call failed or operation not supported on this OS"},
    Text{400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    Text{401, "cudaErrorIllegalState", "the operation cannot be performed in the present state"},
    Text{402, "cudaErrorLossyQuery", "attempted introspection would be semantically lossy"},
    Text{500, "cudaErrorSymbolNotFound", "named symbol not found"},
    Text{600, "cudaErrorNotReady", "device not ready"},
    Text{700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    Text{701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    Text{702, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    Text{703, "cudaErrorLaunchIncompatibleTexturing", "launch uses incompatible texturing mode"},
    Text{704, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    Text{705, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    Text{708, "cudaErrorSetOnActiveProcess", "cannot set while device is active in this process"},
    Text{709, "cudaErrorContextIsDestroyed", "context is destroyed"},
    Text{710, "cudaErrorAssert", "device-side assert triggered"},
    Text{711, "cudaErrorTooManyPeers", "peer mapping resources exhausted"},
    Text{712, "cudaErrorHostMemoryAlreadyRegistered", "part or all of the requested memory range is already mapped"},
    Text{713, "cudaErrorHostMemoryNotRegistered", "pointer does not correspond to a registered memory region"},
    Text{714, "cudaErrorHardwareStackError", "hardware stack error"},
    Text{715, "cudaErrorIllegalInstruction", "an illegal instruction was encountered"},
    Text{716, "cudaErrorMisalignedAddress", "misaligned address"},
    Text{717, "cudaErrorInvalidAddressSpace", "operation not supported on global/shared address space"},
    Text{718, "cudaErrorInvalidPc", "invalid program counter"},
    Text{719, "cudaErrorLaunchFailure", "unspecified launch failure"},
    Text{720, "cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
    Text{721, "cudaErrorTensorMemoryLeak", "tensor memory not completely freed"},
    Text{800, "cudaErrorNotPermitted", "operation not permitted"},
    Text{801, "cudaErrorNotSupported", "operation not supported"},
    Text{802, "cudaErrorSystemNotReady", "system not yet initialized"},
    Text{803, "cudaErrorSystemDriverMismatch", "system has unsupported display driver / cuda driver combination"},
    Text{804, "cudaErrorCompatNotSupportedOnDevice", "forward compatibility was attempted on non supported HW"},
    Text{805, "cudaErrorMpsConnectionFailed", "MPS client failed to connect to the MPS control daemon or the MPS server"},
    Text{806, "cudaErrorMpsRpcFailure", "the remote procedural call between the MPS server and the MPS client failed"},
    Text{807, "cudaErrorMpsServerNotReady", "MPS server is not ready to accept new MPS client requests"},
    Text{808, "cudaErrorMpsMaxClientsReached", "the hardware resources required to create MPS client have been exhausted"},
    Text{809, "cudaErrorMpsMaxConnectionsReached", "the hardware resources required to support device connections have been exhausted"},
    Text{810, "cudaErrorMpsClientTerminated", "the MPS client has been terminated by the server"},
    Text{811, "cudaErrorCdpNotSupported", "is using CUDA Dynamic Parallelism, but the current configuration, like MPS, does not support it"},
    Text{812, "cudaErrorCdpVersionMismatch", "unsupported interaction between different versions of CUDA Dynamic Parallelism"},
    Text{900, "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
    Text{901, "cudaErrorStreamCaptureInvalidated", "operation failed due to a previous error during capture"},
    Text{902, "cudaErrorStreamCaptureMerge", "operation would result in a merge of separate capture sequences"},
    Text{903, "cudaErrorStreamCaptureUnmatched", "capture was not ended in the same stream as it began"},
    Text{904, "cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work"},
    Text{905, "cudaErrorStreamCaptureIsolation", "dependency created on uncaptured work in another stream"},
    Text{906, "cudaErrorStreamCaptureImplicit", "operation would make the legacy stream depend on a capturing blocking stream"},
    Text{907, "cudaErrorCapturedEvent", "operation not permitted on an event last recorded in a capturing stream"},
    Text{908, "cudaErrorStreamCaptureWrongThread", "attempt to terminate a thread-local capture sequence from another thread"},
    Text{909, "cudaErrorTimeout", "wait operation timed out"},
    Text{910, "cudaErrorGraphExecUpdateFailure", "the graph update was not performed because it included changes which violated constraints specific to instantiated graph update"},
    Text{911, "cudaErrorExternalDevice", "an async error has occured in external entity outside of CUDA"},
    Text{912, "cudaErrorInvalidClusterSize", "a kernel launch error has occurred due to cluster misconfiguration"},
    Text{913, "cudaErrorFunctionNotLoaded", "the function handle is not loaded when calling an API that requires a loaded function"},
    Text{914, "cudaErrorInvalidResourceType", "one or more resources passed in are not valid resource types for the operation"},
    Text{915, "cudaErrorInvalidResourceConfiguration", "one or more resources are insufficient or non-applicable for the operation"},
    Text{999, "cudaErrorUnknown", "unknown error"},
    Text{10000, "cudaErrorApiFailureBase", "api failure base"},
};
// clang-format on

const Text* find(cudaError_t error) {
  for (const Text& text : texts) {
    if (text.error == static_cast<int>(error)) return &text;
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

/// What the entry points that the emulator does not have do.
int weft_not_provided(const char* function) {
  weft::emulator::say_once(std::string(function) + " is not provided: it returns cudaErrorNotSupported");
  return weft::emulator::note(cudaErrorNotSupported);
}

}  // extern "C"
