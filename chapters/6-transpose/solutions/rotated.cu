// Another swizzle: each row of the tile is rotated by its own number, which needs no power of two.
//
// Exercise: The exclusive-or of 14_swizzled.cu moves elements only within a tile whose side is a power of
// two. Find a shuffle for sides of any length, show that no two elements of a row get the same place, and
// count its wavefronts.
#include <algorithm>

#include "problem.hpp"

namespace {
constexpr int tile = 32;
constexpr dim3 block{tile, 8};

// [rotate]
/// Where a row of the tile keeps a column's element: as many places further as the row has above it.
__host__ __device__ constexpr int rotate(int row, int column, int side = tile) {
  return (column + row) % side;
}
// [rotate]

__global__ void transpose_rotated(const float* __restrict__ in, float* __restrict__ out, std::int64_t rows,
                                  std::int64_t columns) {
  __shared__ float words[tile][tile];
  const std::int64_t first_row = block_y() * tile;
  const std::int64_t first_column = block_x() * tile;
  const int x = threadIdx.x;

#pragma unroll
  for (int k = 0; k < tile; k += block.y) {
    const int y = threadIdx.y + k;
    const std::int64_t row = first_row + y;
    const std::int64_t column = first_column + x;
    if (row < rows && column < columns) words[y][rotate(y, x)] = in[row * columns + column];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < tile; k += block.y) {
    const int y = threadIdx.y + k;
    const std::int64_t row = first_row + x;
    const std::int64_t column = first_column + y;
    if (row < rows && column < columns) out[column * rows + row] = words[x][rotate(x, y)];
  }
}

void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  const dim3 grid = grid_over(in.columns, in.rows, {tile, tile});
  transpose_rotated<<<grid, block, 0, stream>>>(in.data, out.data, in.rows, in.columns);
}

model::Prediction predict(std::int64_t rows, std::int64_t columns) {
  const std::int64_t warps = rows * columns / model::warp_size;
  return model::Prediction{}
      .global_load(warps, 4, [](int lane) { return lane; })
      .shared_store(warps, 4, [](int lane) { return rotate(0, lane); })
      .shared_load(warps, 4, [](int lane) { return lane * tile + rotate(lane, 0); })
      .global_store(warps, 4, [](int lane) { return lane; });
}
}  // namespace

void weft::register_steps() { add_transpose("rotated", block, launch, predict); }

TEST_CASE("a rotation gives every element of a row a place of its own, whatever the side") {
  for (const int side : {1, 7, 24, 31, 32, 33}) {
    for (int row = 0; row < side; ++row) {
      List<int> taken(side);
      for (int column = 0; column < side; ++column) ++taken[rotate(row, column, side)];
      CHECK(std::ranges::all_of(taken, [](int count) { return count == 1; }));
    }
  }
}

TEST_CASE("the exclusive-or leaves a row whose length is not a power of two") {
  constexpr int side = 24;
  constexpr int row = 8;
  constexpr int column = 16;
  CHECK((column ^ row) >= side);
}

TEST_CASE("every row and every column of the rotated tile takes one wavefront") {
  for (int y = 0; y < tile; ++y) {
    CHECK(model::shared_store_wavefronts({4, [&](int lane) { return y * tile + rotate(y, lane); }}) == 1);
    CHECK(model::shared_load_wavefronts({4, [&](int lane) { return lane * tile + rotate(lane, y); }}) == 1);
  }
  with_counts({1024, 1024}, [](const model::Metrics& counted) {
    CHECK(counted[model::Metric::shared_load_wavefronts] == counted[model::Metric::shared_load_requests]);
    CHECK(counted[model::Metric::shared_store_wavefronts] == counted[model::Metric::shared_store_requests]);
  });
}
