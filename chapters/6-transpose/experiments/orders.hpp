#pragma once

/// @file
/// The transpose vector-access, whose blocks run along the rows of the input or of the output.

#include <cuda_runtime.h>

#include <cstdint>

#include "fours.hpp"
#include "kernel/evict_last.hpp"
#include "kernel/grid.hpp"
#include "problem.hpp"

namespace weft::orders {

using fours::tile;  // and not the namespace tile of another header

/// Along which rows blocks follow each other: blocks that run at the same time read whole rows of the input
/// and write pieces of the output's, or the other way round.
enum Order : std::uint8_t { along_input, along_output };

/// The grid of one order: x runs along the rows that are named.
inline dim3 grid_of(Order order, std::int64_t rows, std::int64_t columns) {
  constexpr dim3 size{fours::tile, fours::tile};
  return order == along_input ? grid_over(columns, rows, size) : grid_over(rows, columns, size);
}

/// The first row and column of the input that a block moves.
template <Order order>
__device__ std::int64_t first_row() {
  return (order == along_input ? block_y() : block_x()) * fours::tile;
}
template <Order order>
__device__ std::int64_t first_column() {
  return (order == along_input ? block_x() : block_y()) * fours::tile;
}

/// Stores a tile, which lies in shared memory, four words of a column at a time.
/// @param top, left where the tile begins in the input
__device__ inline void store_tile(const float* words, float* __restrict__ out, std::int64_t rows,
                                  std::int64_t columns, std::int64_t top, std::int64_t left) {
  using namespace fours;
  const int x = threadIdx.x * width;
  const int y = threadIdx.y;
#pragma unroll
  for (int i = 0; i < tile / block.y; ++i) {
    const int down = y + i * block.y;
    const std::int64_t row = left + down;
    const std::int64_t column = top + x;
    const float four[width] = {words[word_index(x, down)], words[word_index(x + 1, down)],
                               words[word_index(x + 2, down)], words[word_index(x + 3, down)]};
    if (row < columns && column < rows) {
      __stwb(reinterpret_cast<float4*>(&out[row * rows + column]),
             make_float4(four[0], four[1], four[2], four[3]));
    }
  }
}

/// Where every row begins at a multiple of 16 bytes. Both loads of a thread are under way at the same time.
template <Order order>
__global__ __launch_bounds__(fours::threads, fours::blocks_per_multiprocessor) void transpose_fours(
    const float* __restrict__ in, float* __restrict__ out, std::int64_t rows, std::int64_t columns) {
  using namespace fours;
  const L2Policy keep = evict_last();
  __shared__ __align__(sizeof(float4)) float words[tile * tile];
  const std::int64_t top = first_row<order>();
  const std::int64_t left = first_column<order>();
  const int x = threadIdx.x * width;
  const int y = threadIdx.y;

  float4 moved[tile / block.y] = {};
#pragma unroll
  for (int i = 0; i < tile / block.y; ++i) {
    const std::int64_t row = top + y + std::int64_t{i} * block.y;
    const std::int64_t column = left + x;
    if (row < rows && column < columns) {
      moved[i] = load_evict_last(reinterpret_cast<const float4*>(&in[row * columns + column]), keep);
    }
  }
#pragma unroll
  for (int i = 0; i < tile / block.y; ++i) {
    *reinterpret_cast<float4*>(&words[word_index(y + i * block.y, x)]) = moved[i];
  }
  __syncthreads();
  store_tile(words, out, rows, columns, top, left);
}

/// The same, but a thread asks for its second four words when the first have arrived: half as many bytes are
/// in flight at most. The loop is not unrolled, for else the compiler puts both loads first.
template <Order order>
__global__ __launch_bounds__(fours::threads, fours::blocks_per_multiprocessor) void transpose_in_turn(
    const float* __restrict__ in, float* __restrict__ out, std::int64_t rows, std::int64_t columns) {
  using namespace fours;
  const L2Policy keep = evict_last();
  __shared__ __align__(sizeof(float4)) float words[tile * tile];
  const std::int64_t top = first_row<order>();
  const std::int64_t left = first_column<order>();
  const int x = threadIdx.x * width;

#pragma unroll 1
  for (int y = threadIdx.y; y < tile; y += block.y) {
    float4 four = {};
    if (top + y < rows && left + x < columns) {
      four = load_evict_last(reinterpret_cast<const float4*>(&in[(top + y) * columns + left + x]), keep);
    }
    *reinterpret_cast<float4*>(&words[word_index(y, x)]) = four;
  }
  __syncthreads();
  store_tile(words, out, rows, columns, top, left);
}

template <Order order>
void launch_fours(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  const dim3 grid = grid_of(order, in.rows, in.columns);
  transpose_fours<order><<<grid, fours::block, 0, stream>>>(in.data, out.data, in.rows, in.columns);
}

}  // namespace weft::orders
