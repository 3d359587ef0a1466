#pragma once

/// @file
/// Streams and events. Work is done when it is handed over, unless its stream is being captured.

#include <cuda_runtime_api.h>

#include <chrono>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "emulator/runtime/handles.hpp"
#include "emulator/runtime/work.hpp"

/// A capture of one or more streams into a graph.
struct Capture {
  cudaStream_t origin;
  cudaStreamCaptureMode mode;
  unsigned long long id;
  std::thread::id thread;  ///< that began it
  CUgraph_st* graph;       ///< the program's once the capture has ended
  bool owns_graph;         ///< the graph was made for the capture
  bool invalid = false;
  /// What the next node of each stream depends on.
  std::map<cudaStream_t, std::vector<cudaGraphNode_t>> tips;
};

// The structures that CUDA's headers leave open.

struct CUstream_st {
  unsigned flags = 0;
  int priority = 0;
  unsigned long long id = 0;
  std::shared_ptr<Capture> capture;  ///< that it takes part in
  std::map<int, cudaStreamAttrValue> attributes;
};

struct CUevent_st {
  unsigned flags = 0;
  bool recorded = false;
  std::chrono::steady_clock::time_point when;
  std::weak_ptr<Capture> capture;  ///< that it was last recorded in
  bool captured = false;
  std::vector<cudaGraphNode_t> tips;  ///< of the stream, when it was
};

namespace weft::emulator {

/// The stream of a handle, the default streams included.
/// @return nullptr if there is none
CUstream_st* find_stream(cudaStream_t handle);

/// Does work, or notes it in the graph that the stream is captured into.
cudaError_t submit(cudaStream_t handle, Work work);

/// Does nothing, or fails as CUDA does, where a call would wait for a stream that is being captured.
cudaError_t check_wait(const CUstream_st* stream);

/// Fails if the calling thread may not make calls that a capture cannot take note of.
cudaError_t check_unsafe_call();

/// Captures that have begun and not ended.
std::vector<std::shared_ptr<Capture>> open_captures();

}  // namespace weft::emulator
