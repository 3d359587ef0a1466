/// @file
/// Events. Their times are this computer's.

#include <cuda_runtime_api.h>

#include <algorithm>

#include "emulator/runtime/graph.hpp"
#include "emulator/runtime/output.hpp"
#include "emulator/runtime/state.hpp"
#include "emulator/runtime/streams.hpp"

namespace weft::emulator {
namespace {

constexpr unsigned known_flags = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;

cudaError_t record(CUevent_st* event, cudaStream_t handle, unsigned flags) {
  CUstream_st* const stream = find_stream(handle);
  if (stream == nullptr || !handles<CUevent_st>().holds(event)) return cudaErrorInvalidResourceHandle;
  if (stream->capture != nullptr && flags != cudaEventRecordExternal) {
    if (stream->capture->invalid) return cudaErrorStreamCaptureInvalidated;
    event->capture = stream->capture;
    event->captured = true;
    event->tips = stream->capture->tips[stream];
    return cudaSuccess;
  }
  return submit(handle, Record{event});
}

/// A stream that waits for an event of a capture takes part in the capture from then on.
cudaError_t wait(cudaStream_t handle, CUevent_st* event, unsigned flags) {
  CUstream_st* const stream = find_stream(handle);
  if (stream == nullptr || !handles<CUevent_st>().holds(event)) return cudaErrorInvalidResourceHandle;
  if (!event->captured || flags == cudaEventWaitExternal) {
    if (stream->capture == nullptr || flags == cudaEventWaitExternal) return submit(handle, Wait{event});
    if (!event->recorded) return cudaSuccess;
    stream->capture->invalid = true;
    return cudaErrorStreamCaptureIsolation;
  }
  const auto capture = event->capture.lock();
  if (capture == nullptr || capture->invalid) return cudaErrorStreamCaptureInvalidated;
  if (stream->capture != nullptr && stream->capture != capture) return cudaErrorStreamCaptureMerge;
  if (stream == find_stream(nullptr)) {
    capture->invalid = true;
    return cudaErrorStreamCaptureImplicit;
  }
  stream->capture = capture;
  auto& tips = capture->tips[stream];
  for (const cudaGraphNode_t node : event->tips) {
    if (std::ranges::find(tips, node) == tips.end()) tips.push_back(node);
  }
  return cudaSuccess;
}

cudaError_t check_done(const CUevent_st* event) {
  if (!handles<CUevent_st>().holds(event)) return cudaErrorInvalidResourceHandle;
  return event->captured ? cudaErrorCapturedEvent : cudaSuccess;
}

bool has_time(const CUevent_st* event) {
  return handles<CUevent_st>().holds(event) && event->recorded &&
         (event->flags & cudaEventDisableTiming) == 0;
}

}  // namespace
}  // namespace weft::emulator

using weft::emulator::handles;
using weft::emulator::note;

extern "C" {

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  if (event == nullptr || (flags & ~weft::emulator::known_flags) != 0) return note(cudaErrorInvalidValue);
  auto made = std::make_unique<CUevent_st>();
  made->flags = flags;
  *event = handles<CUevent_st>().add(std::move(made));
  return note(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return note(handles<CUevent_st>().take(event) != nullptr ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return note(weft::emulator::record(event, stream, flags));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return note(weft::emulator::wait(stream, event, flags));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  weft::emulator::flush_output();
  return note(weft::emulator::check_done(event));
}

cudaError_t cudaEventQuery(cudaEvent_t event) { return note(weft::emulator::check_done(event)); }

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  if (milliseconds == nullptr) return note(cudaErrorInvalidValue);
  if (!weft::emulator::has_time(begin) || !weft::emulator::has_time(end)) {
    return note(cudaErrorInvalidResourceHandle);
  }
  weft::emulator::say_once("times between events are this computer's, not a GPU's");
  *milliseconds = std::chrono::duration<float, std::milli>(end->when - begin->when).count();
  return note(cudaSuccess);
}

}  // extern "C"
