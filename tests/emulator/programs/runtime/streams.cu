// Streams, events, callbacks; graphs by capture and node by node.
#include <vector>

#include "expect.hpp"

__global__ void add(int* values, int amount) { values[threadIdx.x] += amount; }
__global__ void multiply(int* values, int factor) { values[threadIdx.x] *= factor; }

static int* zeros() {
  int* values = nullptr;
  must(cudaMalloc(&values, 32 * sizeof(int)));
  must(cudaMemset(values, 0, 32 * sizeof(int)));
  return values;
}

static int first_of(const int* values) {
  int first = 0;
  must(cudaMemcpy(&first, values, sizeof first, cudaMemcpyDeviceToHost));
  return first;
}

static void events() {
  cudaStream_t stream = nullptr;
  must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  unsigned flags = 0;
  must(cudaStreamGetFlags(stream, &flags));
  expect(flags == cudaStreamNonBlocking);
  cudaEvent_t begin = nullptr, end = nullptr, timeless = nullptr;
  must(cudaEventCreate(&begin));
  must(cudaEventCreate(&end));
  must(cudaEventCreateWithFlags(&timeless, cudaEventDisableTiming));
  float milliseconds = -1;
  expect(cudaEventElapsedTime(&milliseconds, begin, end), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  int* values = zeros();
  must(cudaEventRecord(begin, stream));
  add<<<1, 32, 0, stream>>>(values, 1);
  must(cudaEventRecord(end, stream));
  must(cudaEventRecord(timeless, stream));
  must(cudaEventSynchronize(end));
  must(cudaEventElapsedTime(&milliseconds, begin, end));
  expect(milliseconds >= 0 && milliseconds < 60'000);
  expect(cudaEventElapsedTime(&milliseconds, begin, timeless), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  expect(cudaEventQuery(end), cudaSuccess);
  must(cudaStreamWaitEvent(nullptr, end));
  must(cudaStreamSynchronize(stream));
  expect(cudaStreamQuery(stream), cudaSuccess);
  expect(first_of(values) == 1);
  for (cudaEvent_t event : {begin, end, timeless}) must(cudaEventDestroy(event));
  must(cudaStreamDestroy(stream));
  must(cudaFree(values));
}

static void CUDART_CB note_order(void* data) { *static_cast<int*>(data) *= 10; }
static void CUDART_CB note_callback(cudaStream_t, cudaError_t error, void* data) {
  *static_cast<int*>(data) += error == cudaSuccess ? 3 : 100;
}

static void callbacks() {
  int seen = 7;
  must(cudaLaunchHostFunc(cudaStreamPerThread, note_order, &seen));
  must(cudaStreamAddCallback(cudaStreamPerThread, note_callback, &seen, 0));
  must(cudaStreamSynchronize(cudaStreamPerThread));
  expect(seen == 73);
}

static void capture() {
  cudaStream_t stream = nullptr, other = nullptr;
  must(cudaStreamCreate(&stream));
  must(cudaStreamCreate(&other));
  cudaEvent_t fork = nullptr, join = nullptr;
  must(cudaEventCreate(&fork));
  must(cudaEventCreate(&join));
  int *values = zeros(), *others = zeros();
  int copied = 0;

  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  add<<<1, 32, 0, stream>>>(values, 2);
  must(cudaEventRecord(fork, stream));
  must(cudaStreamWaitEvent(other, fork));
  add<<<1, 32, 0, other>>>(others, 5);
  must(cudaEventRecord(join, other));
  multiply<<<1, 32, 0, stream>>>(values, 3);
  must(cudaStreamWaitEvent(stream, join));
  must(cudaMemcpyAsync(&copied, values, sizeof copied, cudaMemcpyDeviceToHost, stream));
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  must(cudaStreamIsCapturing(other, &status));
  expect(status == cudaStreamCaptureStatusActive);
  cudaGraph_t graph = nullptr;
  must(cudaStreamEndCapture(stream, &graph));
  expect(copied == 0);  // nothing has run
  expect(first_of(values) == 0);

  std::size_t count = 0;
  must(cudaGraphGetNodes(graph, nullptr, &count));
  expect(count == 4);
  must(cudaGraphGetRootNodes(graph, nullptr, &count));
  expect(count == 1);
  cudaGraphExec_t exec = nullptr;
  must(cudaGraphInstantiate(&exec, graph, 0));
  must(cudaGraphDestroy(graph));
  must(cudaGraphLaunch(exec, stream));
  must(cudaGraphLaunch(exec, stream));
  must(cudaStreamSynchronize(stream));
  expect(copied == 24);  // ((0 + 2) * 3 + 2) * 3
  expect(first_of(others) == 10);
  must(cudaGraphExecDestroy(exec));

  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  expect(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
  expect(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  expect(graph == nullptr);
  cudaGetLastError();
  expect(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
  cudaGetLastError();

  must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  void* memory = nullptr;
  expect(cudaMalloc(&memory, 64), cudaErrorStreamCaptureUnsupported);
  cudaStreamEndCapture(stream, &graph);
  cudaGetLastError();
  must(cudaStreamDestroy(stream));
  must(cudaStreamDestroy(other));
  must(cudaFree(values));
  must(cudaFree(others));
}

static void node_by_node() {
  int *values = zeros(), result = 0, seen = 4, amount = 6;
  // NOLINTNEXTLINE(misc-const-correctness): CUDA takes it so
  void* arguments[] = {static_cast<void*>(&values), &amount};
  cudaGraph_t graph = nullptr;
  must(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t fill = nullptr, kernel = nullptr, copy = nullptr, host = nullptr;
  cudaMemsetParams fill_parameters{};
  fill_parameters.dst = values;
  fill_parameters.value = 9;
  fill_parameters.elementSize = 4;
  fill_parameters.width = 32;
  fill_parameters.height = 1;
  must(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &fill_parameters));
  cudaKernelNodeParams kernel_parameters{};
  kernel_parameters.func = reinterpret_cast<void*>(add);
  kernel_parameters.gridDim = dim3(1);
  kernel_parameters.blockDim = dim3(32);
  kernel_parameters.kernelParams = arguments;
  must(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &kernel_parameters));
  must(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, &result, values + 31, sizeof result,
                                cudaMemcpyDeviceToHost));
  const cudaHostNodeParams host_parameters{note_order, &seen};
  must(cudaGraphAddHostNode(&host, graph, &copy, 1, &host_parameters));
  cudaGraphNodeType type{};
  must(cudaGraphNodeGetType(fill, &type));
  expect(type == cudaGraphNodeTypeMemset);

  amount = 1'000'000;  // the node keeps what it was given
  cudaGraphExec_t exec = nullptr;
  must(cudaGraphInstantiate(&exec, graph, 0));
  must(cudaGraphLaunch(exec, nullptr));
  must(cudaDeviceSynchronize());
  expect(result == 15 && seen == 40);

  amount = 11;
  must(cudaGraphExecKernelNodeSetParams(exec, kernel, &kernel_parameters));
  must(cudaGraphLaunch(exec, nullptr));
  must(cudaDeviceSynchronize());
  expect(result == 20 && seen == 400);

  amount = 21;
  must(cudaGraphKernelNodeSetParams(kernel, &kernel_parameters));
  cudaGraphExecUpdateResultInfo info{};
  must(cudaGraphExecUpdate(exec, graph, &info));
  must(cudaGraphLaunch(exec, nullptr));
  must(cudaDeviceSynchronize());
  expect(result == 30);
  must(cudaGraphNodeSetEnabled(exec, kernel, 0));
  must(cudaGraphLaunch(exec, nullptr));
  must(cudaDeviceSynchronize());
  expect(result == 9);

  cudaGraphNode_t extra = nullptr;
  must(cudaGraphAddEmptyNode(&extra, graph, nullptr, 0));
  expect(cudaGraphExecUpdate(exec, graph, &info), cudaErrorGraphExecUpdateFailure);
  cudaGetLastError();
  must(cudaGraphExecDestroy(exec));
  must(cudaGraphDestroy(graph));
  must(cudaFree(values));
}

static void memory_of_a_graph() {
  cudaGraph_t graph = nullptr;
  must(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams wanted{};
  wanted.poolProps.allocType = cudaMemAllocationTypePinned;
  wanted.poolProps.location.type = cudaMemLocationTypeDevice;
  wanted.bytesize = 32 * sizeof(int);
  cudaGraphNode_t memory = nullptr, fill = nullptr, kernel = nullptr, copy = nullptr, free = nullptr;
  must(cudaGraphAddMemAllocNode(&memory, graph, nullptr, 0, &wanted));
  cudaMemsetParams zero{};
  zero.dst = wanted.dptr;
  zero.elementSize = 4;
  zero.width = 32;
  zero.height = 1;
  must(cudaGraphAddMemsetNode(&fill, graph, &memory, 1, &zero));
  int amount = 8, result = 0;
  // NOLINTNEXTLINE(misc-const-correctness): CUDA takes it so
  void* arguments[] = {static_cast<void*>(&wanted.dptr), &amount};
  const cudaKernelNodeParams parameters{
      reinterpret_cast<void*>(add), dim3(1), dim3(32), 0, arguments, nullptr};
  must(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &parameters));
  cudaLaunchAttributeValue value{};
  value.cooperative = 1;
  must(cudaGraphKernelNodeSetAttribute(kernel, cudaLaunchAttributeCooperative, &value));
  value.cooperative = 0;
  must(cudaGraphKernelNodeGetAttribute(kernel, cudaLaunchAttributeCooperative, &value));
  expect(value.cooperative == 1);
  must(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, &result, wanted.dptr, sizeof result,
                                cudaMemcpyDeviceToHost));
  must(cudaGraphAddMemFreeNode(&free, graph, &copy, 1, wanted.dptr));
  cudaGraphExec_t exec = nullptr;
  must(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 2; ++i) {
    result = 0;
    must(cudaGraphLaunch(exec, nullptr));
    must(cudaDeviceSynchronize());
    expect(result == 8);
  }
  must(cudaGraphExecDestroy(exec));
  must(cudaGraphDestroy(graph));
}

int main() {
  events();
  callbacks();
  capture();
  node_by_node();
  memory_of_a_graph();
  return verdict();
}
