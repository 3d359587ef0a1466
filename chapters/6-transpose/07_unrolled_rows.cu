// Each thread moves four elements, and loads all four before it stores the first: four requests wait at once.
#include "problem.hpp"

namespace {
constexpr dim3 block{32, 8};
constexpr int unroll = 4;

// [kernel]
__global__ void transpose_unrolled_rows(const float* __restrict__ in, float* __restrict__ out,
                                        std::int64_t rows, std::int64_t columns) {
  const std::int64_t row = block_y() * blockDim.y + threadIdx.y;
  const std::int64_t first_column = block_x() * blockDim.x * unroll + threadIdx.x;
  float values[unroll];
#pragma unroll
  for (int k = 0; k < unroll; ++k) {
    const std::int64_t column = first_column + std::int64_t{k} * blockDim.x;
    if (row < rows && column < columns) values[k] = in[row * columns + column];
  }
#pragma unroll
  for (int k = 0; k < unroll; ++k) {
    const std::int64_t column = first_column + std::int64_t{k} * blockDim.x;
    if (row < rows && column < columns) out[column * rows + row] = values[k];
  }
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  const dim3 grid = grid_over(blocks_over(in.columns, unroll), in.rows, block);
  transpose_unrolled_rows<<<grid, block, 0, stream>>>(in.data, out.data, in.rows, in.columns);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t rows, std::int64_t columns) {
  const std::int64_t warps = rows * columns / model::warp_size;
  return model::Prediction{}
      .global_load(warps, 4, [](int lane) { return lane; })
      .global_store(warps, 4, [&](int lane) { return lane * rows; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() { add_transpose("unrolled-rows", block, launch, predict); }
// [step]

TEST_CASE("unrolling changes when requests are made, not how many or how wide") {
  with_counts({1024, 1024}, [](const model::Metrics& counted) {
    CHECK(counted[model::Metric::global_load_sectors] == 131'072);
    CHECK(counted[model::Metric::global_store_sectors] == 1'048'576);
  });
}
