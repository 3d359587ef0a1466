// The same kernel on a matrix whose rows are a few floats longer: a column lies in other banks of the L1.
#include "check/buffer.hpp"
#include "problem.hpp"

namespace {
constexpr dim3 block{32, 8};
constexpr int unroll = 4;
const Numbers paddings{1, 2, 4, 8, 16, 32};

// [kernel]
__global__ void transpose_unrolled_columns_padded(const float* __restrict__ in, float* __restrict__ out,
                                                  std::int64_t rows, std::int64_t columns,
                                                  std::int64_t pitch) {
  const std::int64_t first_row = block_x() * blockDim.x * unroll + threadIdx.x;
  const std::int64_t column = block_y() * blockDim.y + threadIdx.y;
  float values[unroll];
#pragma unroll
  for (int k = 0; k < unroll; ++k) {
    const std::int64_t row = first_row + std::int64_t{k} * blockDim.x;
    if (row < rows && column < columns) values[k] = in[row * pitch + column];
  }
#pragma unroll
  for (int k = 0; k < unroll; ++k) {
    const std::int64_t row = first_row + std::int64_t{k} * blockDim.x;
    if (row < rows && column < columns) out[column * rows + row] = values[k];
  }
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out, int padding) {
  const dim3 grid = grid_over(blocks_over(in.rows, unroll), in.columns, block);
  const std::int64_t pitch = in.columns + padding;
  transpose_unrolled_columns_padded<<<grid, block, 0, stream>>>(in.data, out.data, in.rows, in.columns,
                                                                pitch);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t rows, std::int64_t columns, int padding) {
  const std::int64_t warps = rows * columns / model::warp_size;
  const std::int64_t pitch = columns + padding;
  constexpr std::int64_t first_element = guard_bytes / 4;  // in an allocation
  const auto first_of_warp = [&](std::int64_t warp) {
    return first_element + warp / columns * model::warp_size * pitch + warp % columns;
  };
  return model::Prediction{}
      .global_load(
          warps, 4, [&](int lane) { return lane * pitch; }, warps, first_of_warp)
      .global_store(warps, 4, [](int lane) { return lane; })
      .launch(warps / unroll, 2);
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() {
  add_padded_transpose("unrolled-columns-padded", Axes(block).with("padding", paddings), launch, predict);
}
// [step]

TEST_CASE("padding changes no sector: it moves the words of a column to other banks") {
  for (const std::int64_t padding : paddings) {
    const auto claim = [=](const model::Metrics& counted) {
      CHECK(counted[model::Metric::global_load_sectors] == 1024 * 1024);
      CHECK(counted[model::Metric::global_store_sectors] * model::sector_bytes ==
            sizeof(float) * 1024 * 1024);
    };
    with_counts({1024, 1024}, claim, {{"block", {block.x, block.y}}, {"padding", {padding}}});
    CHECK(model::shared_load_wavefronts({4, [&](int lane) { return lane * (1024 + padding); }}) == padding);
  }
}
