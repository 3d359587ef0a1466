// One column of padding puts the 32 words of a tile's column into 32 different banks.
#include "problem.hpp"

namespace {
constexpr int tile = 32;
constexpr int pitch = tile + 1;
constexpr dim3 block{tile, 8};

// [kernel]
__global__ void transpose_padded(const float* __restrict__ in, float* __restrict__ out, std::int64_t rows,
                                 std::int64_t columns) {
  __shared__ float words[tile][pitch];
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

// [launch]
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  const dim3 grid = grid_over(in.columns, in.rows, {tile, tile});
  transpose_padded<<<grid, block, 0, stream>>>(in.data, out.data, in.rows, in.columns);
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
void weft::register_steps() { add_transpose("padded", block, launch, predict); }
// [step]

TEST_CASE("a column of the padded tile is read without bank conflicts") {
  CHECK(model::shared_load_wavefronts({4, [](int lane) { return lane * pitch; }}) == 1);
  with_counts({1024, 1024}, [](const model::Metrics& counted) {
    CHECK(counted[model::Metric::shared_load_wavefronts] == counted[model::Metric::shared_load_requests]);
    CHECK(counted[model::Metric::shared_store_wavefronts] == counted[model::Metric::shared_store_requests]);
  });
}

TEST_CASE("every odd pitch is free of conflicts, and no even one") {
  for (int words = tile; words < 2 * tile; ++words) {
    const int wavefronts = model::shared_load_wavefronts({4, [&](int lane) { return lane * words; }});
    CHECK((wavefronts == 1) == (words % 2 == 1));
  }
}
