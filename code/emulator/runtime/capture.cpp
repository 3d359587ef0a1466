/// @file
/// Capture of streams into graphs.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "emulator/runtime/graph.hpp"
#include "emulator/runtime/state.hpp"
#include "emulator/runtime/streams.hpp"

namespace weft::emulator {
namespace {

struct Captures {
  std::mutex mutex;
  std::vector<std::shared_ptr<Capture>> open;
};

Captures& captures() {
  static auto* const instance = new Captures;
  return *instance;
}

thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

cudaError_t begin(cudaStream_t handle, cudaStreamCaptureMode mode, CUgraph_st* graph,
                  std::vector<cudaGraphNode_t> tips) {
  static std::atomic<unsigned long long> next_id = 1;
  CUstream_st* const stream = find_stream(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (stream == find_stream(nullptr)) return cudaErrorStreamCaptureUnsupported;
  if (stream->capture != nullptr) return cudaErrorIllegalState;
  const bool owns = graph == nullptr;
  if (owns) graph = handles<CUgraph_st>().add(std::make_unique<CUgraph_st>());
  stream->capture = std::make_shared<Capture>(
      Capture{stream, mode, next_id++, std::this_thread::get_id(), graph, owns, false, {}});
  stream->capture->tips[stream] = std::move(tips);
  const std::scoped_lock lock(captures().mutex);
  captures().open.push_back(stream->capture);
  return cudaSuccess;
}

/// Whether all that was captured leads to what the first stream holds last.
bool joined(const Capture& capture) {
  const auto& last = capture.tips.at(capture.origin);
  for (const auto& node : capture.graph->nodes) {
    const bool leads_on = std::ranges::any_of(capture.graph->nodes, [&](const auto& other) {
      return std::ranges::find(other->before, node.get()) != other->before.end();
    });
    if (!leads_on && std::ranges::find(last, node.get()) == last.end()) return false;
  }
  return true;
}

cudaError_t end(cudaStream_t handle, cudaGraph_t* graph) {
  const CUstream_st* const stream = find_stream(handle);
  if (graph != nullptr) *graph = nullptr;
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  const std::shared_ptr<Capture> capture = stream->capture;
  if (capture == nullptr) return cudaErrorIllegalState;
  if (capture->origin != stream) return cudaErrorStreamCaptureUnmatched;
  if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id()) {
    return cudaErrorStreamCaptureWrongThread;
  }
  for (const auto& [other, tips] : capture->tips) other->capture = nullptr;
  {
    const std::scoped_lock lock(captures().mutex);
    std::erase(captures().open, capture);
  }
  cudaError_t result = cudaSuccess;
  if (capture->invalid) result = cudaErrorStreamCaptureInvalidated;
  if (result == cudaSuccess && !joined(*capture)) result = cudaErrorStreamCaptureUnjoined;
  if (result == cudaSuccess) {
    *graph = capture->graph;
  } else if (capture->owns_graph) {
    handles<CUgraph_st>().take(capture->graph);
  }
  return result;
}

cudaStreamCaptureStatus status_of(const CUstream_st& stream) {
  if (stream.capture == nullptr) return cudaStreamCaptureStatusNone;
  return stream.capture->invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
}

cudaError_t update_dependencies(cudaStream_t handle, cudaGraphNode_t* nodes, std::size_t count,
                                unsigned flags) {
  CUstream_st* const stream = find_stream(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (status_of(*stream) != cudaStreamCaptureStatusActive) return cudaErrorIllegalState;
  auto& tips = stream->capture->tips[stream];
  if (flags == cudaStreamSetCaptureDependencies) tips.clear();
  tips.insert(tips.end(), nodes, nodes + count);
  return cudaSuccess;
}

}  // namespace

std::vector<std::shared_ptr<Capture>> open_captures() {
  const std::scoped_lock lock(captures().mutex);
  return captures().open;
}

cudaError_t check_unsafe_call() {
  if (thread_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  for (const auto& capture : open_captures()) {
    const bool own = capture->thread == std::this_thread::get_id();
    const bool hinders = (capture->mode == cudaStreamCaptureModeGlobal &&
                          (own || thread_mode == cudaStreamCaptureModeGlobal)) ||
                         (capture->mode == cudaStreamCaptureModeThreadLocal && own);
    if (!hinders) continue;
    capture->invalid = true;
    return cudaErrorStreamCaptureUnsupported;
  }
  return cudaSuccess;
}

}  // namespace weft::emulator

using weft::emulator::find_stream;
using weft::emulator::note;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return note(weft::emulator::begin(stream, mode, nullptr, {}));
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* nodes, const cudaGraphEdgeData* /*edges*/,
                                          std::size_t count, cudaStreamCaptureMode mode) {
  if (!weft::emulator::handles<CUgraph_st>().holds(graph)) return note(cudaErrorInvalidValue);
  return note(weft::emulator::begin(stream, mode, graph, std::vector(nodes, nodes + count)));
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return note(graph != nullptr ? weft::emulator::end(stream, graph) : cudaErrorInvalidValue);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  const CUstream_st* const found = find_stream(stream);
  if (found == nullptr) return note(cudaErrorInvalidResourceHandle);
  *status = weft::emulator::status_of(*found);
  return note(cudaSuccess);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  if (mode == nullptr) return note(cudaErrorInvalidValue);
  std::swap(*mode, weft::emulator::thread_mode);
  return note(cudaSuccess);
}

/// cudaStreamGetCaptureInfo of CUDA 13, and the third of CUDA 12.
cudaError_t weft_capture_info(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                              cudaGraph_t* graph, const cudaGraphNode_t** nodes,
                              const cudaGraphEdgeData** edges, std::size_t* count) {
  CUstream_st* const found = find_stream(stream);
  if (found == nullptr || status == nullptr) return note(cudaErrorInvalidValue);
  *status = weft::emulator::status_of(*found);
  if (edges != nullptr) *edges = nullptr;
  if (*status != cudaStreamCaptureStatusActive) return note(cudaSuccess);
  const auto& tips = found->capture->tips[found];
  if (id != nullptr) *id = found->capture->id;
  if (graph != nullptr) *graph = found->capture->graph;
  if (nodes != nullptr) *nodes = tips.data();
  if (count != nullptr) *count = tips.size();
  return note(cudaSuccess);
}

/// The second of CUDA 12.
cudaError_t weft_capture_info_12(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                                 cudaGraph_t* graph, const cudaGraphNode_t** nodes, std::size_t* count) {
  return weft_capture_info(stream, status, id, graph, nodes, nullptr, count);
}

/// The first, of CUDA 11.
cudaError_t weft_capture_info_11(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                 unsigned long long* id) {
  return weft_capture_info(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}

cudaError_t weft_update_capture_dependencies(cudaStream_t stream, cudaGraphNode_t* nodes,
                                             const cudaGraphEdgeData* /*edges*/, std::size_t count,
                                             unsigned flags) {
  return note(weft::emulator::update_dependencies(stream, nodes, count, flags));
}

cudaError_t weft_update_capture_dependencies_12(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                std::size_t count, unsigned flags) {
  return note(weft::emulator::update_dependencies(stream, nodes, count, flags));
}

}  // extern "C"
