// Reading columns, but the eight warps of a block read columns that lie an eighth of the matrix apart.
#include "problem.hpp"

namespace {
constexpr dim3 block{32, 8};

/// No two warps of a block touch the same sector. Blocks of neighbouring columns do: the L2 has it for them.
__global__ void transpose_columns_apart(const float* __restrict__ in, float* __restrict__ out,
                                        std::int64_t rows, std::int64_t columns) {
  const std::int64_t eighth = (columns + blockDim.y - 1) / blockDim.y;
  const std::int64_t row = block_x() * blockDim.x + threadIdx.x;
  const std::int64_t column = threadIdx.y * eighth + block_y();
  if (row < rows && block_y() < eighth && column < columns) {
    out[column * rows + row] = in[row * columns + column];
  }
}

void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  const dim3 grid = grid_over(in.rows, in.columns, block);
  transpose_columns_apart<<<grid, block, 0, stream>>>(in.data, out.data, in.rows, in.columns);
}

model::Prediction predict(std::int64_t rows, std::int64_t columns) {
  const std::int64_t warps = rows * columns / model::warp_size;
  return model::Prediction{}
      .global_load(warps, 4, [&](int lane) { return lane * columns; })
      .global_store(warps, 4, [](int lane) { return lane; });
}
}  // namespace

void weft::register_steps() { add_transpose("columns-apart", block, launch, predict, Kind::experiment); }
