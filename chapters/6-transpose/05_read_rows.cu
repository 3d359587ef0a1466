// The plain transpose: a warp reads along a row and writes down a column, each element to another sector.
#include "problem.hpp"

namespace {
const List<dim3> blocks{{32, 8}, {32, 32}, {32, 16}, {8, 32}, {64, 16}, {64, 8}, {128, 8}};

// [kernel]
__global__ void transpose_read_rows(const float* __restrict__ in, float* __restrict__ out, std::int64_t rows,
                                    std::int64_t columns) {
  const std::int64_t row = block_y() * blockDim.y + threadIdx.y;
  const std::int64_t column = block_x() * blockDim.x + threadIdx.x;
  if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out, dim3 block) {
  const dim3 grid = grid_over(in.columns, in.rows, block);
  transpose_read_rows<<<grid, block, 0, stream>>>(in.data, out.data, in.rows, in.columns);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t rows, std::int64_t columns, dim3 block) {
  const std::int64_t warps = rows * columns / model::warp_size;
  return model::Prediction{}
      .global_load(warps, 4, [&](int lane) { return lane / block.x * columns + lane % block.x; })
      .global_store(warps, 4, [&](int lane) { return lane % block.x * rows + lane / block.x; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() { add_transpose("read-rows", blocks, launch, predict); }
// [step]

TEST_CASE("the kernel counts what source 000 took with Nsight Compute on another GPU") {
  const auto flat = [](const model::Metrics& counted) {
    CHECK(counted[model::Metric::global_load_requests] == 32'768);
    CHECK(counted[model::Metric::global_load_sectors] == 131'072);
    CHECK(counted[model::Metric::global_store_requests] == 32'768);
    CHECK(counted[model::Metric::global_store_sectors] == 1'048'576);
  };
  with_counts({1024, 1024}, flat, {{"block", {32, 8}}});

  const auto tall = [](const model::Metrics& counted) {
    CHECK(counted[model::Metric::global_load_requests] == 32'768);
    CHECK(counted[model::Metric::global_load_sectors] == 131'072);
    CHECK(counted[model::Metric::global_store_requests] == 32'768);
    CHECK(counted[model::Metric::global_store_sectors] == 262'144);
  };
  with_counts({1024, 1024}, tall, {{"block", {8, 32}}});
}

TEST_CASE("a block at least 32 wide always costs a sector per element written") {
  for (const dim3 block : blocks) {
    const auto claim = [=](const model::Metrics& counted) {
      CHECK((counted[model::Metric::global_store_sectors] == 1'048'576) == (block.x >= 32));
    };
    with_counts({1024, 1024}, claim, {{"block", {block.x, block.y}}});
  }
}
