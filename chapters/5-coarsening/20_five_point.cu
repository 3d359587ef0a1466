// Each thread takes the mean at one element of a plane and its four neighbours, or at several of them, and
// keeps the rows that it needs again in registers.
#include "sweep.hpp"

namespace {
constexpr dim3 block{128};

// [kernel]
/// @tparam rows of a thread, one below the other
/// @tparam columns of a thread, side by side: they must divide the width
template <int rows, int columns>
__global__ __launch_bounds__(block.x, 1) void five_point(const float* __restrict__ in,
                                                         float* __restrict__ out, std::int64_t height,
                                                         std::int64_t width) {
  const std::int64_t x = (block_x() * block.x + threadIdx.x) * columns;
  const std::int64_t first = block_y() * rows;
  if (x >= width) return;
  Floats<columns> middle[rows + 2];
  float west[rows];
  float east[rows];
#pragma unroll
  for (int i = 0; i < rows + 2; ++i) {
    const std::int64_t y = first + i - 1;
    const float* const row = &in[y * width + x];
    if (y >= 0 && y < height) middle[i] = load<columns>(row);
    if (i == 0 || i > rows || y >= height) continue;
    if (x > 0) west[i - 1] = row[-1];
    if (x + columns < width) east[i - 1] = row[columns];
  }
#pragma unroll
  for (int i = 0; i < rows; ++i) {
    const std::int64_t y = first + i;
    if (y >= height) return;
    const Floats<columns>& row = middle[i + 1];
    Floats<columns> made{};
#pragma unroll
    for (int j = 0; j < columns; ++j) {
      const bool stays = y == 0 || y == height - 1 || x + j == 0 || x + j == width - 1;
      const float mean =
          mean_of(row.at[j], j > 0 ? row.at[j - 1] : west[i], j + 1 < columns ? row.at[j + 1] : east[i],
                  middle[i].at[j], middle[i + 2].at[j]);
      made.at[j] = stays ? row.at[j] : mean;
    }
    store(&out[y * width + x], made);
  }
}
// [kernel]

template <int columns>
auto kernel_of(int rows) {
  if (rows == 1) return five_point<1, columns>;
  if (rows == 2) return five_point<2, columns>;
  if (rows == 4) return five_point<4, columns>;
  return five_point<8, columns>;
}

// [launch]
void launch(cudaStream_t stream, const Field& field, int rows, int columns) {
  if (field.width % columns != 0) columns = 1;
  const dim3 grid = grid_over(field.width, field.height, {block.x * columns, static_cast<unsigned>(rows)});
  const auto kernel = columns == 1 ? kernel_of<1>(rows) : kernel_of<4>(rows);
  kernel<<<grid, block, 0, stream>>>(field.in, field.out, field.height, field.width);
}
// [launch]

/// Of a field whose height the rows and whose width the warps divide. No lane has a neighbour beyond an edge.
model::Prediction predict(const Field& field, int rows, int columns) {
  const std::int64_t across = field.width / (std::int64_t{model::warp_size} * columns);
  const std::int64_t warps = across * field.height;
  const auto west = [=](int lane) { return lane * columns - 1; };
  const auto east = [=](int lane) { return lane * columns + columns; };
  return model::Prediction{}
      .global_load(across * (field.height / rows * (rows + 2) - 2), 4 * columns, own_lane)
      .global_load(warps - field.height, 4, [=](int lane) { return west(lane + model::warp_size); })
      .global_load(field.height, 4,
                   [=](int lane) { return lane > 0 ? model::Element(west(lane)) : model::Element(); })
      .global_load(warps - field.height, 4, east)
      .global_load(field.height, 4,
                   [=](int lane) { return lane < 31 ? model::Element(east(lane)) : model::Element(); })
      .global_store(warps, 4 * columns, own_lane);
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("rows", {8, 1, 2, 4}).with("columns", {4, 1}).settings()) {
    const int rows = setting.number("rows");
    const int columns = setting.number("columns");
    add(plane_variant(
        "five-point", setting,
        {.launch = [=](cudaStream_t stream, const Field& field) { launch(stream, field, rows, columns); },
         .predict = [=](const Field& field) { return predict(field, rows, columns); }}));
  }
}
