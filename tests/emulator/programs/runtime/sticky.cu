// A kernel that writes where nothing is: from then on every call fails, though cudaGetLastError() forgets it.
#include "expect.hpp"

__global__ void stray(int* nowhere) { nowhere[threadIdx.x] = 1; }

int main() {
  void* memory = nullptr;
  stray<<<1, 32>>>(reinterpret_cast<int*>(16));
  const cudaError_t error = cudaDeviceSynchronize();
  expect(error != cudaSuccess);
  expect(cudaGetLastError(), error);
  expect(cudaGetLastError(), cudaSuccess);
  expect(cudaMalloc(&memory, 64), error);
  if (failures == 0) std::printf("the error stays\n");
  return verdict();
}
