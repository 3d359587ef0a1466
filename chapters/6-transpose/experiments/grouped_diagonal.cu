// The row reader along diagonals, but four blocks below each other, which write the same lines, stay
// together.
#include "diagonal.hpp"
#include "problem.hpp"

namespace {
constexpr dim3 block{32, 8};
constexpr int group = 4;  // 32 rows of the input: a line in each row of the output

__global__ void transpose_grouped_diagonal(const float* __restrict__ in, float* __restrict__ out,
                                           std::int64_t rows, std::int64_t columns, Blocks groups) {
  const uint2 place = diagonal(blockIdx.x / group, groups);
  const std::int64_t block_down = std::int64_t{place.y} * group + blockIdx.x % group;
  const std::int64_t row = block_down * blockDim.y + threadIdx.y;
  const std::int64_t column = std::int64_t{place.x} * blockDim.x + threadIdx.x;
  if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
}

void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  const Blocks groups = blocks_over(in.columns, in.rows, {block.x, block.y * group});
  const std::int64_t grid = std::int64_t{groups.across} * groups.down * group;
  if (grid > most_blocks_in_x) refuse("the grid has more than 2^31 - 1 blocks");
  transpose_grouped_diagonal<<<static_cast<unsigned>(grid), block, 0, stream>>>(in.data, out.data, in.rows,
                                                                                in.columns, groups);
}

model::Prediction predict(std::int64_t rows, std::int64_t columns) {
  const std::int64_t warps = rows * columns / model::warp_size;
  return model::Prediction{}
      .global_load(warps, 4, [](int lane) { return lane; })
      .global_store(warps, 4, [&](int lane) { return lane * rows; });
}
}  // namespace

void weft::register_steps() { add_transpose("grouped-diagonal", block, launch, predict, Kind::experiment); }
