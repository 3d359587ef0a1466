// Reading columns with the grid's x and y exchanged: the same blocks in another order.
//
// Exercise: Blocks start with x first, so in 06_read_columns.cu those that run together walk down the input
// and along the output. Swap the grid's x and y, but not the block's, predict what changes in the counts, and
// time both.
#include "problem.hpp"

namespace {
constexpr dim3 block{32, 8};

// [kernel]
__global__ void transpose_swapped_grid(const float* __restrict__ in, float* __restrict__ out,
                                       std::int64_t rows, std::int64_t columns) {
  const std::int64_t row = block_y() * blockDim.x + threadIdx.x;
  const std::int64_t column = block_x() * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  const dim3 grid = grid_over(in.columns, in.rows, {block.y, block.x});
  transpose_swapped_grid<<<grid, block, 0, stream>>>(in.data, out.data, in.rows, in.columns);
}
// [launch]

model::Prediction predict(std::int64_t rows, std::int64_t columns) {
  const std::int64_t warps = rows * columns / model::warp_size;
  return model::Prediction{}
      .global_load(warps, 4, [&](int lane) { return lane * columns; })
      .global_store(warps, 4, [](int lane) { return lane; });
}
}  // namespace

void weft::register_steps() { add_transpose("swapped-grid", block, launch, predict); }

TEST_CASE("the order of the blocks changes no count") {
  with_counts({1024, 1024}, [](const model::Metrics& counted) {
    CHECK(counted[model::Metric::global_load_sectors] == 1'048'576);
    CHECK(counted[model::Metric::global_store_sectors] == 131'072);
  });
}
