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

/// Columns of a thread that lie side by side, so that one load from shared memory has all of them.
__host__ __device__ constexpr int columns_together(int factor) { return factor < 4 ? factor : 4; }

// [multiply]
/// The rows of a thread lie `apart` from each other. Its columns lie together, at most four of them.
template <int side, int factor>
__device__ void multiply_both_sides(const Multiplication& p) {
  constexpr std::int64_t apart = side;
  constexpr int together = columns_together(factor);
  extern __shared__ float4 shared[];
  auto& tiles = *reinterpret_cast<SharedTiles<side, factor>*>(shared);
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const std::int64_t top = block_y() * apart * factor;
  const std::int64_t left = block_x() * apart * factor;
  const auto column_of = [=](int j) { return (j / together * side + x) * together + j % together; };
  float sums[factor][factor] = {};
#pragma unroll 1
  for (std::int64_t first = 0; first < p.k; first += side) {
#pragma unroll
    for (int i = 0; i < factor; ++i) {
      tiles.a[y + i * apart][x] = element(p.a, p.m, p.k, top + y + i * apart, first + x);
      tiles.b[y][x + i * apart] = element(p.b, p.k, p.n, first + y, left + x + i * apart);
    }
    __syncthreads();
#pragma unroll
    for (int l = 0; l < side; ++l) {
#pragma unroll
      for (int i = 0; i < factor; ++i) {
#pragma unroll
        for (int j = 0; j < factor; ++j) sums[i][j] += tiles.a[y + i * apart][l] * tiles.b[l][column_of(j)];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < factor; ++i) {
    const std::int64_t row = top + y + i * apart;
#pragma unroll
    for (int j = 0; j < factor; ++j) {
      const std::int64_t column = left + column_of(j);
      if (row < p.m && column < p.n) p.c[row * p.n + column] = sums[i][j];
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
  const std::int64_t warps = p.m * p.n / model::warp_size / factor / factor;
  const std::int64_t steps = p.k / side;
  constexpr int together = columns_together(factor);
  const auto in_rows_of = [](std::int64_t length) {
    return [=](int lane) { return lane / side * length + lane % side; };
  };
  return model::Prediction{}
      .global_load(warps * steps * factor, 4, in_rows_of(p.k))
      .global_load(warps * steps * factor, 4, in_rows_of(p.n))
      .shared_store(warps * steps * factor, 4, in_rows_of(side))
      .shared_store(warps * steps * factor, 4, in_rows_of(std::int64_t{side} * factor))
      .shared_load(warps * p.k / 4 * factor, 16, [](int lane) { return lane / side * side / 4; })
      .shared_load(warps * p.k * factor / together, 4 * together, [](int lane) { return lane % side; })
      .global_store(warps * factor * factor, 4,
                    [&](int lane) { return lane / side * p.n + std::int64_t{lane % side} * together; });
}

}  // namespace weft
