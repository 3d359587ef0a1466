#pragma once

/// @file
/// The product with several results of a thread down and across.

#include "product.hpp"

namespace weft {

/// The tiles of a block of side × side threads, whose threads have factor × factor results each.
template <int side, int factor>
struct SharedTiles {
  float a[side * factor][side];
  float b[side][side * factor];
};

// [multiply]
/// The results of a thread lie `apart` rows and columns from each other.
template <int side, int factor>
__device__ void multiply_both_sides(const Multiplication& p) {
  constexpr std::int64_t apart = side;
  extern __shared__ float4 shared[];
  auto& tiles = *reinterpret_cast<SharedTiles<side, factor>*>(shared);
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const std::int64_t row = block_y() * apart * factor + y;
  const std::int64_t column = block_x() * apart * factor + x;
  float sums[factor][factor] = {};
#pragma unroll 1
  for (std::int64_t first = 0; first < p.k; first += side) {
#pragma unroll
    for (int i = 0; i < factor; ++i) {
      tiles.a[y + i * apart][x] = element(p.a, p.m, p.k, row + i * apart, first + x);
      tiles.b[y][x + i * apart] = element(p.b, p.k, p.n, first + y, column + i * apart);
    }
    __syncthreads();
#pragma unroll
    for (int l = 0; l < side; ++l) {
#pragma unroll
      for (int i = 0; i < factor; ++i) {
#pragma unroll
        for (int j = 0; j < factor; ++j) sums[i][j] += tiles.a[y + i * apart][l] * tiles.b[l][x + j * apart];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < factor; ++i) {
#pragma unroll
    for (int j = 0; j < factor; ++j) {
      if (row + i * apart < p.m && column + j * apart < p.n) {
        p.c[(row + i * apart) * p.n + column + j * apart] = sums[i][j];
      }
    }
  }
}
// [multiply]

using ProductKernel = void (*)(Multiplication);

template <int side, int factor>
void launch_both_sides(cudaStream_t stream, const Multiplication& p, ProductKernel kernel) {
  constexpr int bytes = sizeof(SharedTiles<side, factor>);
  constexpr unsigned extent = side * factor;
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  kernel<<<grid_over(p.n, p.m, {extent, extent}), dim3{side, side}, bytes, stream>>>(p);
}

/// A warp is 32 / side rows of its block.
template <int side, int factor>
model::Prediction predict_both_sides(const Multiplication& p) {
  const std::int64_t warps = p.m * p.n / model::warp_size / (factor * factor);
  const std::int64_t steps = p.k / side;
  const auto in_rows_of = [](std::int64_t length) {
    return [=](int lane) { return lane / side * length + lane % side; };
  };
  return model::Prediction{}
      .global_load(warps * steps * factor, 4, in_rows_of(p.k))
      .global_load(warps * steps * factor, 4, in_rows_of(p.n))
      .shared_store(warps * steps * factor, 4, in_rows_of(side))
      .shared_store(warps * steps * factor, 4, in_rows_of(std::int64_t{side} * factor))
      .shared_load(warps * p.k / 4 * factor, 16, [](int lane) { return lane / side * side / 4; })
      .shared_load(warps * p.k * factor, 4, [](int lane) { return lane % side; })
      .global_store(warps * factor * factor, 4, in_rows_of(p.n));
}

}  // namespace weft
