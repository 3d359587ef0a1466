// Every mutant, as a kernel, must be caught by the comparisons that check steps.

#include <doctest/doctest.h>

#include "device/device.hpp"
#include "mutants.hpp"

namespace weft::test {
namespace {

using DeviceProblem = MutantProblem<DeviceMemory>;

constexpr int block_rows = 8;
constexpr dim3 block{tile, block_rows};
constexpr dim3 grid{(mutant_columns + tile - 1) / tile, (mutant_rows + tile - 1) / tile};

template <Mutant mutant>
__global__ void transpose(float* in, float* out) {
  const std::int64_t column = blockIdx.x * tile + threadIdx.x;
  for (int r = threadIdx.y; r < tile; r += block_rows) {
    const std::int64_t row = blockIdx.y * tile + r;
    if (row < mutant_rows && column < mutant_columns) {
      move(mutant, in, out, mutant_rows, mutant_columns, row, column);
    }
  }
}

__device__ float kept[mutant_rows * mutant_columns];
__device__ bool keeps;

/// Keeps the first input and transposes that for ever.
__global__ void transpose_first(const float* in, float* out) {
  if (!keeps) {
    for (int i = threadIdx.x; i < mutant_rows * mutant_columns; i += blockDim.x) kept[i] = in[i];
  }
  __syncthreads();
  keeps = true;
  for (int i = threadIdx.x; i < mutant_rows * mutant_columns; i += blockDim.x) {
    out[i % mutant_columns * mutant_rows + i / mutant_columns] = kept[i];
  }
}

/// Without a barrier between writing the tile and reading it; some warps come late, so that it cannot work by
/// luck.
__global__ void transpose_without_barrier(const float* in, float* out) {
  __shared__ float shared[tile][tile + 1];
  const std::int64_t top = std::int64_t{blockIdx.y} * tile;
  const std::int64_t left = std::int64_t{blockIdx.x} * tile;
  if (threadIdx.y % 2 == 1) {
    for (const std::int64_t start = clock64(); clock64() - start < 100'000;) continue;
  }
  for (int r = threadIdx.y; r < tile; r += block_rows) {
    if (top + r < mutant_rows && left + threadIdx.x < mutant_columns) {
      shared[r][threadIdx.x] = in[(top + r) * mutant_columns + left + threadIdx.x];
    }
  }
  for (int c = threadIdx.y; c < tile; c += block_rows) {
    if (top + threadIdx.x < mutant_rows && left + c < mutant_columns) {
      out[(left + c) * mutant_rows + top + threadIdx.x] = shared[threadIdx.x][c];
    }
  }
}

std::optional<Mismatch> run(DeviceProblem::Launch launch) {
  DeviceProblem problem(launch);
  return first_mismatch(problem, {1, 2}, nullptr, [] {
    cuda_check(cudaGetLastError());
    cuda_check(cudaDeviceSynchronize());
  });
}

template <Mutant mutant>
std::optional<Mismatch> run() {
  return run([](cudaStream_t stream, float* in, float* out) {
    transpose<mutant><<<grid, block, 0, stream>>>(in, out);
  });
}

void expect(const std::optional<Mismatch>& found, const Caught& caught) {
  const Mismatch mismatch = required(found);
  INFO(mismatch.describe());
  CHECK(mismatch.where == caught.where);
  CHECK(mismatch.index == caught.index);
  CHECK(mismatch.hint == caught.hint);
}

TEST_SUITE("device") {
  TEST_CASE("the right kernel passes") { CHECK_FALSE(run<Mutant::none>().has_value()); }
  TEST_CASE("mutant kernel: one element is wrong") { expect(run<Mutant::element>(), caught_element); }
  TEST_CASE("mutant kernel: one row is wrong") { expect(run<Mutant::row>(), caught_row); }
  TEST_CASE("mutant kernel: the edge is not written") { expect(run<Mutant::edge>(), caught_edge); }
  TEST_CASE("mutant kernel: the guard before is written") {
    expect(run<Mutant::guard_before>(), caught_guard_before);
  }
  TEST_CASE("mutant kernel: the guard after is written") {
    expect(run<Mutant::guard_after>(), caught_guard_after);
  }
  TEST_CASE("mutant kernel: one element is NaN") { expect(run<Mutant::nan>(), caught_nan); }
  TEST_CASE("mutant kernel: the input is written") { expect(run<Mutant::input>(), caught_input); }

  TEST_CASE("mutant kernel: the output is stale") {
    const auto launch = [](cudaStream_t stream, float* in, float* out) {
      transpose_first<<<1, 256, 0, stream>>>(in, out);
    };
    expect(run(launch), caught_stale);
  }

  TEST_CASE("mutant kernel: a barrier is missing") {
    const auto launch = [](cudaStream_t stream, float* in, float* out) {
      transpose_without_barrier<<<grid, block, 0, stream>>>(in, out);
    };
    CHECK(run(launch).has_value());
  }
}

}  // namespace
}  // namespace weft::test

void weft::register_steps() { tests_alone(); }
