// Reading columns of a matrix whose rows are one float longer, or 32: other banks of the L1, or the same.
#include "problem.hpp"

namespace {
constexpr dim3 block{32, 8};
const Numbers paddings{1, 32};

__global__ void transpose_longer_rows(const float* __restrict__ in, float* __restrict__ out,
                                      std::int64_t rows, std::int64_t columns, std::int64_t pitch) {
  const std::int64_t row = block_x() * blockDim.x + threadIdx.x;
  const std::int64_t column = block_y() * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) out[column * rows + row] = in[row * pitch + column];
}

void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out, int padding) {
  const dim3 grid = grid_over(in.rows, in.columns, block);
  const std::int64_t pitch = in.columns + padding;
  transpose_longer_rows<<<grid, block, 0, stream>>>(in.data, out.data, in.rows, in.columns, pitch);
}

model::Prediction predict(std::int64_t rows, std::int64_t columns, int padding) {
  const std::int64_t warps = rows * columns / model::warp_size;
  const std::int64_t pitch = columns + padding;
  return model::Prediction{}
      .global_load(warps, 4, [&](int lane) { return lane * pitch; })
      .global_store(warps, 4, [](int lane) { return lane; });
}
}  // namespace

void weft::register_steps() {
  add_padded_transpose("longer-rows", Axes(block).with("padding", paddings), launch, predict,
                       Kind::experiment);
}
