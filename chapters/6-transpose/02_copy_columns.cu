// The same copy with x and y exchanged: a warp copies 32 elements of a column, each in another sector.
#include "problem.hpp"

namespace {
constexpr dim3 block{32, 8};

// [kernel]
__global__ void copy_columns(const float* __restrict__ in, float* __restrict__ out, std::int64_t rows,
                             std::int64_t columns) {
  const std::int64_t row = block_x() * blockDim.x + threadIdx.x;
  const std::int64_t column = block_y() * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) out[row * columns + column] = in[row * columns + column];
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  const dim3 grid = grid_over(in.rows, in.columns, block);
  copy_columns<<<grid, block, 0, stream>>>(in.data, out.data, in.rows, in.columns);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t rows, std::int64_t columns) {
  const std::int64_t warps = rows * columns / model::warp_size;
  return model::Prediction{}
      .global_load(warps, 4, [&](int lane) { return lane * columns; })
      .global_store(warps, 4, [&](int lane) { return lane * columns; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() { add_copy("copy-columns", block, launch, predict); }
// [step]

TEST_CASE("a copy by columns asks for eight times the bytes that it needs") {
  with_counts({1024, 1024}, [](const model::Metrics& counted) {
    const std::uint64_t matrix_bytes = sizeof(float) * 1024 * 1024;
    CHECK(counted[model::Metric::global_load_sectors] * model::sector_bytes == 8 * matrix_bytes);
    CHECK(counted[model::Metric::global_store_sectors] * model::sector_bytes == 8 * matrix_bytes);
  });
}
