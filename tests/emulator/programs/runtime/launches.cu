// Launches that CUDA refuses, and with which error; what is told about kernels; errors that stay and that do
// not.
#include <utility>

#include "expect.hpp"

__global__ void nothing() {}
__global__ void __launch_bounds__(64) small_block(int* out) { out[threadIdx.x] = 1; }
__global__ void static_shared(float* out) {
  __shared__ float tile[1024];
  tile[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
__global__ void dynamic_shared(int* out) {
  extern __shared__ int tile[];
  tile[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

// The answers of an H200 to programs of CUDA 13.
#if CUDART_VERSION >= 13000
constexpr cudaError_t impossible_shape = cudaErrorInvalidValue,
                      unknown_function = cudaErrorInvalidResourceHandle;
#else
constexpr cudaError_t impossible_shape = cudaErrorInvalidConfiguration,
                      unknown_function = cudaErrorInvalidDeviceFunction;
#endif

static void shapes() {
  nothing<<<0, 32>>>();
  expect(cudaGetLastError(), impossible_shape);
  nothing<<<1, 0>>>();
  expect(cudaGetLastError(), impossible_shape);
  nothing<<<1, 1025>>>();
  expect(cudaGetLastError(), impossible_shape);
  nothing<<<1, dim3(1, 1, 65)>>>();
  expect(cudaGetLastError(), impossible_shape);
  nothing<<<dim3(1, 65536), 1>>>();
  expect(cudaGetLastError(), impossible_shape);
  nothing<<<dim3(1, 65535), 1>>>();
  expect(cudaGetLastError(), cudaSuccess);
  expect(cudaLaunchKernel(&failures, dim3(1), dim3(1), nullptr, 0, nullptr), unknown_function);
  expect(cudaGetLastError(), unknown_function);
}

static void shared_memory() {
  int most = 0;
  must(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  int* out = nullptr;
  must(cudaMalloc(&out, 1024 * sizeof(int)));
  dynamic_shared<<<1, 32, (48 << 10) + 1>>>(out);
  expect(cudaGetLastError(), cudaErrorInvalidValue);
  expect(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1),
         cudaErrorInvalidValue);
  cudaGetLastError();
  must(cudaFuncSetAttribute(dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
  dynamic_shared<<<1, 32, static_cast<std::size_t>(most)>>>(out);
  must(cudaDeviceSynchronize());
  int last = -1;
  must(cudaMemcpy(&last, out, sizeof last, cudaMemcpyDeviceToHost));
  expect(last == 31);
  must(cudaFree(out));
}

static void attributes() {
  cudaFuncAttributes got{};
  must(cudaFuncGetAttributes(&got, static_shared));
  expect(got.sharedSizeBytes == 4096 && got.maxThreadsPerBlock == 1024);
  expect(got.numRegs >= 4 && got.numRegs <= 64);
  expect(got.maxDynamicSharedSizeBytes == (48 << 10) - 4096);
  must(cudaFuncGetAttributes(&got, small_block));
  expect(got.maxThreadsPerBlock == 64);
  int blocks = 0;
  must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 1024, 0));
  cudaDeviceProp device{};
  must(cudaGetDeviceProperties(&device, 0));
  expect(blocks == device.maxThreadsPerMultiProcessor / 1024);
  must(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, dynamic_shared, 32, 40 << 10));
  const std::size_t bytes = (40U << 10) + device.reservedSharedMemPerBlock;
  expect(std::cmp_equal(blocks, device.sharedMemPerMultiprocessor / bytes));
  int grid = 0, block = 0;
  must(cudaOccupancyMaxPotentialBlockSize(&grid, &block, nothing));
  expect(block >= 512 && grid == device.multiProcessorCount * (device.maxThreadsPerMultiProcessor / block));
}

static void cooperative() {
  cudaDeviceProp device{};
  must(cudaGetDeviceProperties(&device, 0));
  const auto most =
      static_cast<unsigned>(device.multiProcessorCount * (device.maxThreadsPerMultiProcessor / 1024));
  const void* const kernel = reinterpret_cast<const void*>(nothing);
  expect(cudaLaunchCooperativeKernel(kernel, dim3(most), dim3(1024), nullptr), cudaSuccess);
  expect(cudaLaunchCooperativeKernel(kernel, dim3(most + 1), dim3(1024), nullptr),
         cudaErrorCooperativeLaunchTooLarge);
  expect(cudaGetLastError(), cudaErrorCooperativeLaunchTooLarge);
  must(cudaDeviceSynchronize());
}

static void device() {
  int count = 0, value = 0;
  must(cudaGetDeviceCount(&count));
  expect(cudaSetDevice(count), cudaErrorInvalidDevice);
  expect(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(100'000), 0), cudaErrorInvalidValue);
  cudaGetLastError();
  must(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));
  expect(value == 32);
}

int main() {
  device();
  shapes();
  shared_memory();
  attributes();
  cooperative();
  return verdict();
}
