#include <cstdio>

__device__ int calls = 5;
__constant__ int weights[4] = {1, 2, 3, 4};
static __device__ int own = 7;

__device__ int weighted(int i) {
  atomicAdd(&calls, 1);
  return i * weights[i % 4];
}

static __global__ void print() { printf("other unit: %d %d\n", weights[2], own); }
void print_from_the_other_unit() { print<<<1, 1>>>(); }
