/// @file
/// Streams and events. Everything is done when its call returns, so that there is nothing to wait for.

#include <cuda_runtime_api.h>

#include <chrono>

#include "emulator/runtime/output.hpp"
#include "emulator/runtime/state.hpp"

using weft::emulator::note;

namespace {

/// The device has nothing left to do; what its kernels printed appears now.
cudaError_t synchronized() {
  weft::emulator::flush_output();
  return note(cudaSuccess);
}

}  // namespace

/// What CUDA leaves undefined in its headers.
struct CUevent_st {
  std::chrono::steady_clock::time_point when;
  bool recorded = false;
};

struct CUstream_st {
  unsigned flags = 0;
};

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  *stream = new CUstream_st{flags};
  return note(cudaSuccess);
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int /*priority*/) {
  return cudaStreamCreateWithFlags(stream, flags);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return note(cudaSuccess);
}
cudaError_t cudaStreamSynchronize(cudaStream_t /*stream*/) { return synchronized(); }
cudaError_t cudaStreamQuery(cudaStream_t /*stream*/) { return note(cudaSuccess); }
cudaError_t cudaStreamWaitEvent(cudaStream_t /*stream*/, cudaEvent_t /*event*/, unsigned /*flags*/) {
  return note(cudaSuccess);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned /*flags*/) {
  *event = new CUevent_st;
  return note(cudaSuccess);
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return note(cudaSuccess);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t /*stream*/) {
  event->when = std::chrono::steady_clock::now();
  event->recorded = true;
  return note(cudaSuccess);
}
cudaError_t cudaEventSynchronize(cudaEvent_t /*event*/) { return synchronized(); }
cudaError_t cudaEventQuery(cudaEvent_t /*event*/) { return note(cudaSuccess); }

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  if (!begin->recorded || !end->recorded) return note(cudaErrorInvalidResourceHandle);
  weft::emulator::say_once("times between events are this computer's, not a GPU's");
  *milliseconds = std::chrono::duration<float, std::milli>(end->when - begin->when).count();
  return note(cudaSuccess);
}

cudaError_t cudaDeviceSynchronize() { return synchronized(); }

}  // extern "C"
