// Kernels whose registers, memory and memory instructions a test knows.

#include <cstddef>
#include <cstdio>

__constant__ float factors[100];

/// 3 kB of shared memory, 256 threads at most, accesses of four widths.
extern "C" __global__ void __launch_bounds__(256, 2) widths(float4* data, double* pairs, short* narrow) {
  __shared__ float4 tile[64];
  __shared__ double doubles[256];
  const unsigned lane = threadIdx.x;
  tile[lane % 64] = data[lane];
  doubles[lane] = pairs[lane];
  __syncthreads();
  data[lane] = tile[(lane + 1) % 64];
  pairs[lane] = doubles[255 - lane] * factors[lane % 100];
  narrow[lane] += 1;
}

/// An array that stays in local memory: 512 bytes.
extern "C" __global__ void local_array(float* data, int index) {
  float values[128];
  for (std::size_t i = 0; i < 128; ++i) values[i] = data[i * i];
  data[threadIdx.x] = values[index] + values[index + 1];
}

/// More values than it may have registers.
extern "C" __global__ void __launch_bounds__(1024) spills(float* data, int n) {
  float values[96];
#pragma unroll
  for (int i = 0; i < 96; ++i) values[i] = data[i * n + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 96; ++i) values[i] = values[i] * values[(i + 17) % 96] + values[(i + 34) % 96];
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 96; ++i) sum += values[i] * values[95 - i];
  data[threadIdx.x] = sum;
}

extern "C" __global__ void prints(const int* data, int n) {
  if (n != 0) printf("%d\n", data[threadIdx.x]);
}
