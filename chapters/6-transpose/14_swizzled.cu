// Each row of the tile is shuffled by its own number: a column spreads over all banks without padding.
#include <algorithm>
#include <array>

#include "problem.hpp"

namespace {
constexpr int tile = 32;
constexpr dim3 block{tile, 8};

// [kernel]
/// Where a row of the tile keeps a column's element: exclusive-or with the row's number swaps places in
/// pairs.
__host__ __device__ constexpr int swizzle(int row, int column) { return column ^ row; }

__global__ void transpose_swizzled(const float* __restrict__ in, float* __restrict__ out, std::int64_t rows,
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
    if (row < rows && column < columns) words[y][swizzle(y, x)] = in[row * columns + column];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < tile; k += block.y) {
    const int y = threadIdx.y + k;
    const std::int64_t row = first_row + x;
    const std::int64_t column = first_column + y;
    if (row < rows && column < columns) out[column * rows + row] = words[x][swizzle(x, y)];
  }
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  const dim3 grid = grid_over(in.columns, in.rows, {tile, tile});
  transpose_swizzled<<<grid, block, 0, stream>>>(in.data, out.data, in.rows, in.columns);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t rows, std::int64_t columns) {
  const std::int64_t warps = rows * columns / model::warp_size;
  return model::Prediction{}
      .global_load(warps, 4, [](int lane) { return lane; })
      .shared_store(warps, 4, [](int lane) { return swizzle(0, lane); })
      .shared_load(warps, 4, [](int lane) { return lane * tile + swizzle(lane, 0); })
      .global_store(warps, 4, [](int lane) { return lane; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() { add_transpose("swizzled", block, launch, predict); }
// [step]

TEST_CASE("the swizzle gives every element of a row a place of its own") {
  for (int row = 0; row < tile; ++row) {
    std::array<int, tile> taken{};
    for (int column = 0; column < tile; ++column) {
      const int place = swizzle(row, column);
      REQUIRE(place >= 0);
      REQUIRE(place < tile);
      ++taken[place];
    }
    CHECK(std::ranges::all_of(taken, [](int count) { return count == 1; }));
  }
}

TEST_CASE("every row and every column of the swizzled tile takes one wavefront") {
  for (int y = 0; y < tile; ++y) {
    CHECK(model::shared_store_wavefronts({4, [&](int lane) { return y * tile + swizzle(y, lane); }}) == 1);
    CHECK(model::shared_load_wavefronts({4, [&](int lane) { return lane * tile + swizzle(lane, y); }}) == 1);
  }
  with_counts({1024, 1024}, [](const model::Metrics& counted) {
    CHECK(counted[model::Metric::shared_load_wavefronts] == counted[model::Metric::shared_load_requests]);
    CHECK(counted[model::Metric::shared_store_wavefronts] == counted[model::Metric::shared_store_requests]);
  });
}
