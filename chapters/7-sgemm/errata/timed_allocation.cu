// Source 004's third and fourth step allocate and free the transpose's memory inside of what they time.
#include "device/device.hpp"
#include "transpose.hpp"

namespace {
// [source]
void launch_source(cudaStream_t stream, Sgemm p) {
  cuda_check(cudaMalloc(&p.workspace, transposed_pitch(p.m) * p.k * sizeof(float)));
  queue_transpose(stream, p);
  // the product of the transpose and B
  cuda_check(cudaFree(p.workspace));
}
// [source]

// [repaired]
void launch_repaired(cudaStream_t stream, const Sgemm& p) {
  queue_transpose(stream, p);
  // the product of the transpose and B
}
// [repaired]

/// What becomes of a launch that shall only queue its work: a graph of kernels takes note of nothing else.
template <typename Launch>
cudaError_t recorded(const Launch& launch) {
  constexpr int side = 64;
  const DeviceMemory a(sizeof(float) * side * side);
  const DeviceMemory workspace(sizeof(float) * side * side);
  const Sgemm p{.m = side,
                .n = side,
                .k = side,
                .alpha = 1,
                .a = reinterpret_cast<const float*>(a.data()),
                .lda = side,
                .b = nullptr,
                .ldb = side,
                .beta = 0,
                .c = nullptr,
                .ldc = side,
                .workspace = reinterpret_cast<float*>(workspace.data())};
  const Stream stream;
  cuda_check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal));
  cudaError_t refused = cudaSuccess;
  try {
    launch(stream.get(), p);
  } catch (const CudaError& error) {
    refused = error.code();
  }
  cudaGraph_t graph = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(stream.get(), &graph);
  static_cast<void>(cudaGetLastError());
  if (ended == cudaSuccess) cuda_check(cudaGraphDestroy(graph));
  return refused != cudaSuccess ? refused : ended;
}
}  // namespace

TEST_SUITE("device") {
  TEST_CASE("source 004: a launch that allocates does more than queue work") {
    CHECK(recorded(launch_source) == cudaErrorStreamCaptureUnsupported);
  }

  TEST_CASE("repaired: the memory is there before, and the launch only queues") {
    CHECK(recorded(launch_repaired) == cudaSuccess);
  }
}

void weft::register_steps() { tests_alone(); }
