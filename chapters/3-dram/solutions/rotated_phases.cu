// Each row of blocks starts with another phase: then the loads of M go to all four channels at any time.
//
// Exercise: In each phase of the 8 × 8 product all loads of M go to one channel. Change the order in which
// the blocks take their phases, so that they go to four.
#include "problem.hpp"

namespace {
constexpr int tile = 2;
constexpr dim3 block{tile, tile};

// [kernel]
template <typename Matrix>
__global__ void multiply_rotated(Matrix m, Matrix n, float* __restrict__ p, std::int64_t width) {
  __shared__ float tile_m[tile][tile];
  __shared__ float tile_n[tile][tile];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const std::int64_t row = block_y() * tile + y;
  const std::int64_t column = block_x() * tile + x;
  const std::int64_t phases = (width + tile - 1) / tile;
  float sum = 0;
  for (std::int64_t turn = 0; turn < phases; ++turn) {
    const std::int64_t first = (turn + block_y()) % phases * tile;
    tile_m[y][x] = row < width && first + x < width ? m[row * width + first + x] : 0;
    tile_n[y][x] = first + y < width && column < width ? n[(first + y) * width + column] : 0;
    __syncthreads();
    for (int k = 0; k < tile; ++k) sum += tile_m[y][k] * tile_n[k][x];
    __syncthreads();
  }
  if (row < width && column < width) p[row * width + column] = sum;
}
// [kernel]

void launch(cudaStream_t stream, const SquareMatrices& all) {
  const dim3 grid = grid_over(all.width, all.width, block);
  multiply_rotated<<<grid, block, 0, stream>>>(all.m, all.n, all.p, all.width);
}
}  // namespace

void weft::register_steps() { add_product("rotated-phases", launch, nullptr); }

TEST_SUITE("device") {
  TEST_CASE("8 × 8: the loads of M and of N go to all four channels at any time") {
    constexpr std::int64_t side = 8;
    const Notes notes = noted_loads(side, tile, [](const Noted& m, const Noted& n, float* p) {
      multiply_rotated<<<grid_over(side, side, block), block>>>(m, n, p, side);
    });
    for (std::int64_t turn = 0; turn < side / tile; ++turn) {
      CHECK(channels_of(notes.of_m, side / tile, turn) == 4);
      CHECK(channels_of(notes.of_n, side / tile, turn) == 4);
    }
  }
}
