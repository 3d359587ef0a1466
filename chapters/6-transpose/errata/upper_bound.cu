// Source 001 calls a copy of one element per thread the upper bound, and then beats it: a faster copy exists.
#include <doctest/doctest.h>

#include "device/runtime.hpp"
#include "timing.hpp"

namespace {
constexpr unsigned side = 8192;
constexpr std::size_t bytes = std::size_t{side} * side * sizeof(float);
constexpr int launches = 21;

// [source]
__global__ void copy_row(const float* __restrict__ in, float* __restrict__ out, std::int64_t nx,
                         std::int64_t ny) {
  const std::int64_t ix = threadIdx.x + std::int64_t{blockIdx.x} * blockDim.x;
  const std::int64_t iy = threadIdx.y + std::int64_t{blockIdx.y} * blockDim.y;
  if (ix < nx && iy < ny) out[iy * nx + ix] = in[iy * nx + ix];
}
// [source]

// [repaired]
__global__ void copy_float4(const float4* __restrict__ in, float4* __restrict__ out, std::int64_t count) {
  const std::int64_t index = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (index < count) out[index] = in[index];
}
// [repaired]
}  // namespace

TEST_SUITE("device") {
  TEST_CASE("a copy that moves 16 bytes per thread beats the upper bound of 4 bytes per thread") {
    if (const auto substitute = weft::substitute_runtime()) {
      MESSAGE("skipped: times come from a GPU alone, not from the ", *substitute);
      return;
    }
    const weft::DeviceMemory in(bytes);
    const weft::DeviceMemory out(bytes);
    weft::cuda_check(cudaMemset(in.data(), 0, bytes));

    const dim3 block{32, 32};
    const dim3 grid{side / block.x, side / block.y};
    const double upper_bound = weft::median(weft::device_seconds(launches, [&] {
      copy_row<<<grid, block>>>(reinterpret_cast<const float*>(in.data()),
                                reinterpret_cast<float*>(out.data()), side, side);
    }));
    constexpr unsigned count = bytes / sizeof(float4);
    const double faster = weft::median(weft::device_seconds(launches, [&] {
      copy_float4<<<count / 256, 256>>>(reinterpret_cast<const float4*>(in.data()),
                                        reinterpret_cast<float4*>(out.data()), count);
    }));
    MESSAGE("copyRow ", upper_bound * 1e6, " us, float4 copy ", faster * 1e6, " us");
    CHECK(faster < upper_bound);
  }
}

void weft::register_steps() { tests_alone(); }
