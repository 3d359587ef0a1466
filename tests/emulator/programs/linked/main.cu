// A program of two units, compiled separately: functions, variables and strings of the one in the other.

#include "../check.hpp"

extern __device__ int calls;
extern __constant__ int weights[4];
extern __device__ int weighted(int i);
void print_from_the_other_unit();

static __device__ int own = 100;

__global__ void compute(int* out) {
  const auto i = static_cast<int>(threadIdx.x);
  out[i] = weighted(i) + own;
  if (i == 0) printf("this unit: %d %d\n", weights[1], own);
}

int main() {
  const Shared<int> out(32);
  compute<<<1, 32>>>(out.get());
  finish();
  for (int i = 0; i < 32; ++i) expect(out[i] == i * (i % 4 + 1) + 100, "a function of the other unit");
  print_from_the_other_unit();
  finish();
  int counted = 0;
  check(cudaMemcpyFromSymbol(&counted, calls, sizeof counted));
  expect(counted == 32 + 5, "a variable of the other unit");
}
