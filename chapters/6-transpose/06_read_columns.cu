// The same transpose with x and y exchanged: a warp reads down a column and writes along a row.
#include "problem.hpp"

namespace {
const List<dim3> blocks{{32, 8}, {32, 32}, {32, 16}, {8, 32}, {64, 16}, {64, 8}, {128, 8}};

// [kernel]
__global__ void transpose_read_columns(const float* __restrict__ in, float* __restrict__ out,
                                       std::int64_t rows, std::int64_t columns) {
  const std::int64_t row = block_x() * blockDim.x + threadIdx.x;
  const std::int64_t column = block_y() * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out, dim3 block) {
  const dim3 grid = grid_over(in.rows, in.columns, block);
  transpose_read_columns<<<grid, block, 0, stream>>>(in.data, out.data, in.rows, in.columns);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t rows, std::int64_t columns, dim3 block) {
  const std::int64_t warps = rows * columns / model::warp_size;
  return model::Prediction{}
      .global_load(warps, 4, [&](int lane) { return lane % block.x * columns + lane / block.x; })
      .global_store(warps, 4, [&](int lane) { return lane / block.x * rows + lane % block.x; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() { add_transpose("read-columns", blocks, launch, predict); }
// [step]

TEST_CASE("reading columns moves the scattered sectors from the stores to the loads, and counts as many") {
  for (const dim3 block : blocks) {
    const auto claim = [=](const model::Metrics& counted) {
      const std::uint64_t scattered = block.x >= 32 ? 1024 * 1024 : 1024 * 1024 / 4;
      CHECK(counted[model::Metric::global_load_sectors] == scattered);
      CHECK(counted[model::Metric::global_store_sectors] * model::sector_bytes ==
            sizeof(float) * 1024 * 1024);
    };
    with_counts({1024, 1024}, claim, {{"block", {block.x, block.y}}});
  }
}
