// The padded tile for double: an element takes two banks, and a request two wavefronts at best.
//
// Exercise: Elements of 8 bytes fill two neighbouring banks each. Is one column of padding still enough, and
// how many wavefronts does a column of the tile take with it and without?
#include "problem.hpp"

namespace {
constexpr int tile = 32;
constexpr int pitch = tile + 1;
constexpr dim3 block{tile, 8};

// [kernel]
__global__ void transpose_padded_double(const double* __restrict__ in, double* __restrict__ out,
                                        std::int64_t rows, std::int64_t columns) {
  __shared__ double words[tile][pitch];
  const std::int64_t first_row = block_y() * tile;
  const std::int64_t first_column = block_x() * tile;
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

void launch(cudaStream_t stream, Matrix<const double> in, Matrix<double> out) {
  const dim3 grid = grid_over(in.columns, in.rows, {tile, tile});
  transpose_padded_double<<<grid, block, 0, stream>>>(in.data, out.data, in.rows, in.columns);
}

// [predict]
model::Prediction predict(std::int64_t rows, std::int64_t columns) {
  const std::int64_t warps = rows * columns / model::warp_size;
  return model::Prediction{}
      .global_load(warps, 8, [](int lane) { return lane; })
      .shared_store(warps, 8, [](int lane) { return lane; })
      .shared_load(warps, 8, [](int lane) { return lane * pitch; })
      .global_store(warps, 8, [](int lane) { return lane; });
}
// [predict]
}  // namespace

void weft::register_steps() { add_transpose<double>("padded-double", block, launch, predict); }

TEST_CASE("a request of 8-byte elements takes two wavefronts at least: 256 bytes from 32 banks of 4") {
  CHECK(model::shared_load_wavefronts({8, [](int lane) { return lane; }}) == 2);
}

TEST_CASE("one column of padding frees a column of doubles from conflicts, too") {
  CHECK(model::shared_load_wavefronts({8, [](int lane) { return lane * tile; }}) == 32);
  CHECK(model::shared_load_wavefronts({8, [](int lane) { return lane * pitch; }}) == 2);
  with_counts({1024, 1024}, [](const model::Metrics& counted) {
    CHECK(counted[model::Metric::shared_load_wavefronts] == 2 * counted[model::Metric::shared_load_requests]);
  });
}
