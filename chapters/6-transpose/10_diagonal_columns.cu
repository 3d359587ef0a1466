// The transpose that reads columns, block by block along diagonals: neighbours share neither row nor column.
#include "diagonal.hpp"
#include "problem.hpp"

namespace {
constexpr dim3 block{32, 8};

// [kernel]
__global__ void transpose_diagonal_columns(const float* __restrict__ in, float* __restrict__ out,
                                           std::int64_t rows, std::int64_t columns, Blocks blocks) {
  const uint2 place = diagonal(blockIdx.x, blocks);
  const std::int64_t row = std::int64_t{place.x} * blockDim.x + threadIdx.x;
  const std::int64_t column = std::int64_t{place.y} * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  const Blocks blocks = blocks_over(in.rows, in.columns, block);
  const dim3 grid{blocks.across * blocks.down};
  transpose_diagonal_columns<<<grid, block, 0, stream>>>(in.data, out.data, in.rows, in.columns, blocks);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t rows, std::int64_t columns) {
  const std::int64_t warps = rows * columns / model::warp_size;
  return model::Prediction{}
      .global_load(warps, 4, [&](int lane) { return lane * columns; })
      .global_store(warps, 4, [](int lane) { return lane; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() { add_transpose("diagonal-columns", block, launch, predict); }
// [step]

TEST_CASE("the order of the blocks changes no count") {
  with_counts({1024, 1024}, [](const model::Metrics& counted) {
    CHECK(counted[model::Metric::global_load_sectors] == 1'048'576);
    CHECK(counted[model::Metric::global_store_sectors] == 131'072);
  });
}
