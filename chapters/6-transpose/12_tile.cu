// Only shared memory is crossed by columns: global memory is read along its rows and written along its rows.
#include "problem.hpp"

namespace {
constexpr int tile = 32;
constexpr dim3 block{tile, 8};

// [kernel]
__global__ void transpose_tile(const float* __restrict__ in, float* __restrict__ out, std::int64_t rows,
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
  transpose_tile<<<grid, block, 0, stream>>>(in.data, out.data, in.rows, in.columns);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t rows, std::int64_t columns) {
  const std::int64_t warps = rows * columns / model::warp_size;
  return model::Prediction{}
      .global_load(warps, 4, [](int lane) { return lane; })
      .shared_store(warps, 4, [](int lane) { return lane; })
      .shared_load(warps, 4, [](int lane) { return lane * tile; })
      .global_store(warps, 4, [](int lane) { return lane; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() { add_transpose("tile", block, launch, predict); }
// [step]

TEST_CASE("both sides of the tiled transpose move no byte that they were not asked for") {
  with_counts({1024, 1024}, [](const model::Metrics& counted) {
    const std::uint64_t matrix_bytes = sizeof(float) * 1024 * 1024;
    CHECK(counted[model::Metric::global_load_sectors] * model::sector_bytes == matrix_bytes);
    CHECK(counted[model::Metric::global_store_sectors] * model::sector_bytes == matrix_bytes);
  });
}

TEST_CASE("a column of the tile lies in one bank: its 32 words take 32 wavefronts") {
  CHECK(model::shared_load_wavefronts({4, [](int lane) { return lane * tile; }}) == 32);
  with_counts({1024, 1024}, [](const model::Metrics& counted) {
    const std::uint64_t requests = counted[model::Metric::shared_load_requests];
    CHECK(counted[model::Metric::shared_load_wavefronts] == 32 * requests);
  });
}
