// A square matrix transposed in place: a block takes two tiles that mirror each other, and swaps them.
//
// Exercise: Transpose a square matrix without a second one. Which tiles must be in shared memory before the
// first element may be written, and how many blocks does it take?

#include "problem.hpp"
#include "step/step.hpp"

namespace {
constexpr int tile = 32;
constexpr int pitch = tile + 1;
constexpr dim3 block{tile, 8};

// [kernel]
/// Of two blocks that mirror each other, the one that works: the block to the right of the diagonal, or on
/// it.
__host__ __device__ constexpr bool works(std::int64_t x, std::int64_t y) { return x >= y; }

__global__ void transpose_in_place(float* matrix, std::int64_t side) {
  __shared__ float upper[tile][pitch];
  __shared__ float lower[tile][pitch];
  if (!works(block_x(), block_y())) return;
  const std::int64_t first_row = block_y() * tile;
  const std::int64_t first_column = block_x() * tile;
  const int x = threadIdx.x;

#pragma unroll
  for (int k = 0; k < tile; k += block.y) {
    const int y = threadIdx.y + k;
    if (first_row + y < side && first_column + x < side) {
      upper[y][x] = matrix[(first_row + y) * side + first_column + x];
    }
    if (first_column + y < side && first_row + x < side) {
      lower[y][x] = matrix[(first_column + y) * side + first_row + x];
    }
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < tile; k += block.y) {
    const int y = threadIdx.y + k;
    if (first_row + y < side && first_column + x < side) {
      matrix[(first_row + y) * side + first_column + x] = lower[x][y];
    }
    if (first_row != first_column && first_column + y < side && first_row + x < side) {
      matrix[(first_column + y) * side + first_row + x] = upper[x][y];
    }
  }
}
// [kernel]

/// The chapter's problem keeps its input, so the input is first copied to where it shall be transposed.
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  if (in.rows != in.columns) refuse("in place only a square matrix is transposed");
  const std::size_t bytes = in.rows * in.columns * sizeof(float);
  cuda_check(cudaMemcpyAsync(out.data, in.data, bytes, cudaMemcpyDeviceToDevice, stream));
  const dim3 grid = grid_over(in.columns, in.rows, {tile, tile});
  transpose_in_place<<<grid, block, 0, stream>>>(out.data, in.rows);
}
}  // namespace

/// A step for square shapes alone. It is not timed: the copy would be timed with it.
void weft::register_steps() {
  Variant variant = transpose_variant("in-place", Axes(block).settings().front(), launch);
  variant.checked.clear();
  for (const std::int64_t side : {0, 1, 2, 31, 32, 33, 37, 63, 64, 65, 127, 257, 1031}) {
    variant.checked.push_back({side, side});
  }
  variant.checked_large = {{46349, 46349}};
  variant.measured.clear();
  add(std::move(variant));
}

TEST_CASE("of n × n tiles each pair that mirrors each other has one block, n (n + 1) / 2 in all") {
  constexpr int tiles = 7;
  int working = 0;
  for (int y = 0; y < tiles; ++y) {
    for (int x = 0; x < tiles; ++x) {
      CHECK((works(x, y) != works(y, x)) == (x != y));
      working += works(x, y) ? 1 : 0;
    }
  }
  CHECK(working == tiles * (tiles + 1) / 2);
}
