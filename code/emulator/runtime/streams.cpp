#include "emulator/runtime/streams.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>

#include "emulator/runtime/graph.hpp"
#include "emulator/runtime/output.hpp"
#include "emulator/runtime/state.hpp"

namespace weft::emulator {
namespace {

unsigned long long next_stream_id() {
  static std::atomic<unsigned long long> next = 3;  // below are the default streams'
  return next++;
}

CUstream_st& legacy_stream() {
  static auto* const stream = new CUstream_st{0, 0, 1, nullptr, {}};
  return *stream;
}

CUstream_st& thread_stream() {
  static thread_local CUstream_st stream{0, 0, 2, nullptr, {}};
  return stream;
}

cudaError_t on_stream(cudaStream_t handle, const std::function<cudaError_t(CUstream_st&)>& body) {
  CUstream_st* const stream = find_stream(handle);
  return note(stream != nullptr ? body(*stream) : cudaErrorInvalidResourceHandle);
}

}  // namespace

CUstream_st* find_stream(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) return &legacy_stream();
  if (handle == cudaStreamPerThread) return &thread_stream();
  return handles<CUstream_st>().holds(handle) ? handle : nullptr;
}

cudaError_t submit(cudaStream_t handle, Work work) {
  CUstream_st* const stream = find_stream(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (const auto capture = stream->capture; capture != nullptr) {
    if (capture->invalid) return cudaErrorStreamCaptureInvalidated;
    std::vector<cudaGraphNode_t>& tips = capture->tips[stream];
    tips = {capture->graph->add(std::move(work), tips)};
    return cudaSuccess;
  }
  if (stream == &legacy_stream()) {  // it would wait for every stream that is not marked otherwise
    for (const auto& capture : open_captures()) {
      if ((find_stream(capture->origin)->flags & cudaStreamNonBlocking) != 0) continue;
      capture->invalid = true;
      return cudaErrorStreamCaptureImplicit;
    }
  }
  return perform(work);
}

cudaError_t check_wait(const CUstream_st* stream) {
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (stream->capture == nullptr) return cudaSuccess;
  stream->capture->invalid = true;
  return cudaErrorStreamCaptureUnsupported;
}

}  // namespace weft::emulator

using weft::emulator::check_wait;
using weft::emulator::find_stream;
using weft::emulator::flush_output;
using weft::emulator::handles;
using weft::emulator::note;
using weft::emulator::on_stream;
using weft::emulator::submit;

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  if (stream == nullptr || (flags & ~unsigned{cudaStreamNonBlocking}) != 0)
    return note(cudaErrorInvalidValue);
  auto made = std::make_unique<CUstream_st>();
  made->flags = flags;
  made->priority = std::clamp(priority, -5, 0);
  made->id = weft::emulator::next_stream_id();
  *stream = handles<CUstream_st>().add(std::move(made));
  return note(cudaSuccess);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return note(handles<CUstream_st>().take(stream) != nullptr ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  flush_output();
  return note(check_wait(find_stream(stream)));
}

cudaError_t cudaStreamQuery(cudaStream_t stream) { return note(check_wait(find_stream(stream))); }

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return on_stream(stream, [&](const CUstream_st& found) {
    *flags = found.flags;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return on_stream(stream, [&](const CUstream_st& found) {
    *priority = found.priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return on_stream(stream, [&](const CUstream_st& found) {
    *id = found.id;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return on_stream(stream, [&](const CUstream_st& /*found*/) {
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID id,
                                   const cudaStreamAttrValue* value) {
  return on_stream(stream, [&](CUstream_st& found) {
    found.attributes[id] = *value;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID id,
                                   cudaStreamAttrValue* value) {
  return on_stream(stream, [&](const CUstream_st& found) {
    const auto set = found.attributes.find(id);
    *value = set != found.attributes.end() ? set->second : cudaStreamAttrValue{};
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return on_stream(to, [&](CUstream_st& target) {
    const CUstream_st* const source = find_stream(from);
    if (source == nullptr) return cudaErrorInvalidResourceHandle;
    target.attributes = source->attributes;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* /*memory*/, std::size_t /*bytes*/,
                                     unsigned /*flags*/) {
  return note(submit(stream, {}));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  if (function == nullptr) return note(cudaErrorInvalidValue);
  return note(submit(stream, cudaHostNodeParams{function, data}));
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
  if (callback == nullptr || flags != 0) return note(cudaErrorInvalidValue);
  const cudaError_t refused = check_wait(find_stream(stream));
  if (refused != cudaSuccess) return note(refused);
  callback(stream, weft::emulator::last_error(), data);
  return note(cudaSuccess);
}

cudaError_t cudaDeviceSynchronize() {
  flush_output();
  return note(weft::emulator::check_unsafe_call());
}

}  // extern "C"
