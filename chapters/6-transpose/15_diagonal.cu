// The padded tile, handed out along diagonals: the cure for partition camping, where there is any.
#include <algorithm>

#include "diagonal.hpp"
#include "problem.hpp"

namespace {
constexpr int tile = 32;
constexpr int pitch = tile + 1;
constexpr dim3 block{tile, 8};

// [kernel]
__global__ void transpose_diagonal(const float* __restrict__ in, float* __restrict__ out, std::int64_t rows,
                                   std::int64_t columns, Blocks blocks) {
  __shared__ float words[tile][pitch];
  const uint2 place = diagonal(blockIdx.x, blocks);
  const std::int64_t first_row = std::int64_t{place.y} * tile;
  const std::int64_t first_column = std::int64_t{place.x} * tile;
  const int x = threadIdx.x;

#pragma unroll
  for (int k = 0; k < tile; k += block.y) {
    const int y = threadIdx.y + k;
    const std::int64_t row = first_row + y;
    const std::int64_t column = first_column + x;
    if (row < rows && column < columns) words[y][x] = in[row * columns + column];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < tile; k += block.y) {
    const int y = threadIdx.y + k;
    const std::int64_t row = first_row + x;
    const std::int64_t column = first_column + y;
    if (row < rows && column < columns) out[column * rows + row] = words[x][y];
  }
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  const Blocks blocks = blocks_over(in.columns, in.rows, {tile, tile});
  const dim3 grid{blocks.across * blocks.down};
  transpose_diagonal<<<grid, block, 0, stream>>>(in.data, out.data, in.rows, in.columns, blocks);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t rows, std::int64_t columns) {
  const std::int64_t warps = rows * columns / model::warp_size;
  return model::Prediction{}
      .global_load(warps, 4, [](int lane) { return lane; })
      .shared_store(warps, 4, [](int lane) { return lane; })
      .shared_load(warps, 4, [](int lane) { return lane * pitch; })
      .global_store(warps, 4, [](int lane) { return lane; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() { add_transpose("diagonal", block, launch, predict); }
// [step]

TEST_CASE("a diagonal of the grid crosses as many rows and columns of tiles as it has blocks") {
  constexpr Blocks blocks{256, 256};  // 8192 × 8192
  List<int> rows_hit(blocks.down), columns_hit(blocks.across);
  for (unsigned n = 0; n < 256; ++n) {
    const uint2 place = diagonal(n, blocks);
    ++rows_hit[place.y];
    ++columns_hit[place.x];
  }
  CHECK(std::ranges::count(rows_hit, 1) == 256);
  CHECK(std::ranges::count(columns_hit, 1) == 256);
}
