// Reading columns with loads that do not look into the L1: each goes to the L2.
#include "problem.hpp"

namespace {
constexpr dim3 block{32, 8};

__global__ void transpose_past_the_l1(const float* __restrict__ in, float* __restrict__ out,
                                      std::int64_t rows, std::int64_t columns) {
  const std::int64_t row = block_x() * blockDim.x + threadIdx.x;
  const std::int64_t column = block_y() * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) out[column * rows + row] = __ldcg(&in[row * columns + column]);
}

void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  const dim3 grid = grid_over(in.rows, in.columns, block);
  transpose_past_the_l1<<<grid, block, 0, stream>>>(in.data, out.data, in.rows, in.columns);
}

model::Prediction predict(std::int64_t rows, std::int64_t columns) {
  const std::int64_t warps = rows * columns / model::warp_size;
  return model::Prediction{}
      .global_load(warps, 4, [&](int lane) { return lane * columns; })
      .global_store(warps, 4, [](int lane) { return lane; });
}
}  // namespace

void weft::register_steps() { add_transpose("past-the-l1", block, launch, predict, Kind::experiment); }
