// Kernels of which only the first is counted as a GPU would.

#include <cstdio>

__global__ void plain(int* out) { out[threadIdx.x] = 1; }

/// Looks until there is something.
__global__ void waits(const volatile int* flag) {
  while (*flag == 0) {
  }
}

__global__ void prints(const int* out) {
  if (threadIdx.x == 0) printf("%d\n", *out);
}

int main() {
  int* out = nullptr;
  if (cudaMalloc(&out, 32 * sizeof(int)) != cudaSuccess) return 1;
  plain<<<1, 32>>>(out);
  waits<<<1, 32>>>(out);
  prints<<<1, 32>>>(out);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
