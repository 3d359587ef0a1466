// Source 001 times one launch, the first: what it measures is CUDA getting ready as much as the kernel.
#include <algorithm>
#include <cstdio>
#include <exception>

#include "device/runtime.hpp"
#include "timing.hpp"

namespace {
constexpr unsigned side = 4096;
constexpr std::size_t bytes = std::size_t{side} * side * sizeof(float);
constexpr int launches = 22;  // the first, and an odd number of others
constexpr int skipped = 77;

__global__ void transpose_naive(const float* __restrict__ in, float* __restrict__ out, std::int64_t nx,
                                std::int64_t ny) {
  const std::int64_t ix = threadIdx.x + std::int64_t{blockIdx.x} * blockDim.x;
  const std::int64_t iy = threadIdx.y + std::int64_t{blockIdx.y} * blockDim.y;
  if (ix < nx && iy < ny) out[ix * ny + iy] = in[iy * nx + ix];
}

/// As the source does it: memory first, then the kernel between two looks at the host's clock.
std::vector<double> time_launches() {
  const weft::DeviceMemory in(bytes);
  const weft::DeviceMemory out(bytes);
  weft::cuda_check(cudaMemset(in.data(), 0, bytes));
  weft::cuda_check(cudaMemset(out.data(), 0, bytes));
  weft::cuda_check(cudaDeviceSynchronize());
  const dim3 block{32, 32};
  const dim3 grid{side / block.x, side / block.y};
  return weft::host_seconds(launches, [&] {
    transpose_naive<<<grid, block>>>(reinterpret_cast<const float*>(in.data()),
                                     reinterpret_cast<float*>(out.data()), side, side);
  });
}
}  // namespace

// A main of its own: the one of the steps asks every kernel about itself first, and a first launch is first
// once.
int main() {
  try {
    int devices = 0;
    if (weft::substitute_runtime() || cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
      std::fputs("first_launch: skipped: it takes a GPU to time a launch\n", stderr);
      return skipped;
    }
    std::vector<double> seconds = time_launches();
    const double first = seconds.front();
    seconds.erase(seconds.begin());
    const double usual = weft::median(seconds);
    const double slowest = *std::ranges::max_element(seconds);
    std::printf("first launch %.1f µs, median of the others %.1f µs\n", first * 1e6, usual * 1e6);
    return first > slowest ? 0 : 1;  // no noise explains it
  } catch (const std::exception& error) {
    std::fprintf(stderr, "first_launch: %s\n", error.what());
    return 1;
  }
}
