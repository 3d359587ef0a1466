// printf and assert on the device; what is printed appears when the program waits for the device.

#undef NDEBUG
#include <cassert>
#include <cstring>

#include "check.hpp"

__global__ void print_all_kinds() {
  const auto lane = static_cast<int>(threadIdx.x);
  const short small = -7;
  printf("%d|%5d|%-5d|%05d|%+d|%i|%u|%x|%#X|%o|%c|%%|%hd\n", -lane, 42, 42, 42, 42, -1, 3000000000U, 255, 255,
         8, 'w', small);
  printf("%lld|%llu|%lx|%zu\n", -1LL << 40, 1ULL << 63, 0xabcdef012345L, sizeof(int));
  printf("%f|%.2f|%10.3e|%g|%a\n", 1.5F, 2.0 / 3, 12345.678, 1e-9, 0.5);
  printf("%s|%10s|%-4s|%.2s|%*d|%.*f\n", "warp", "weft", "a", "abcdef", 6, 17, 1, 2.25);
  printf("no arguments\n");
}

__global__ void print_counts(int* counts) {
  counts[0] = printf("two: %d %d\n", 1, 2);
  counts[1] = printf("none\n");
}

__global__ void print_block() { printf("block %u of %u\n", blockIdx.x, gridDim.x); }

__global__ void assert_small(int limit) {
  const auto i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  assert(i < limit && "too large");
}

__global__ void stop() { __trap(); }

int main(int argc, const char* const* argv) {
  if (argc == 2 && std::strcmp(argv[1], "assert") == 0) {
    assert_small<<<2, 32>>>(60);
    const cudaError_t result = cudaDeviceSynchronize();
    std::printf("%s\n", cudaGetErrorName(result));
    void* memory = nullptr;
    std::printf("%s\n", cudaGetErrorName(cudaMalloc(&memory, 4)));  // it stays
    return 0;
  }
  if (argc == 2 && std::strcmp(argv[1], "trap") == 0) {
    stop<<<1, 1>>>();
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
  }
  if (argc == 2 && std::strcmp(argv[1], "forgotten") == 0) {
    print_block<<<1, 1>>>();
    return 0;
  }
  print_all_kinds<<<1, 2>>>();
  std::puts("launched");
  finish();
  const Shared<int> counts(2);
  print_counts<<<1, 1>>>(counts.get());
  finish();
  expect(counts[0] == 2 && counts[1] == 0, "printf returns how many arguments it was given");
  print_block<<<4, 1>>>();
  finish();
}
