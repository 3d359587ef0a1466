// Threads march along the third axis: of the planes before and behind they keep their own elements in
// registers.
#include "sweep.hpp"

namespace {
constexpr dim3 block{32, 8};

/// What a thread loads beside its own elements.
template <int columns>
struct Neighbours {
  Floats<columns> north, south;
  float west, east;
};

// [kernel]
/// @tparam columns of a thread, side by side: they must divide the width
/// @param planes of a block, one behind the other
template <int columns>
__global__ __launch_bounds__(block.x* block.y) void seven_point(const Field field, int planes) {
  const std::int64_t x = (std::int64_t{blockIdx.x} * block.x + threadIdx.x) * columns;
  const std::int64_t y = std::int64_t{blockIdx.y} * block.y + threadIdx.y;
  const std::int64_t first = std::int64_t{blockIdx.z} * planes;
  const std::int64_t last = min(first + planes, field.depth);
  if (x >= field.width || y >= field.height) return;
  const std::int64_t area = field.height * field.width;
  const float* const from = field.in + y * field.width + x;
  const auto own = [&](std::int64_t z) {
    Floats<columns> found{};
    if (z >= 0 && z < field.depth) found = load<columns>(&from[z * area]);
    return found;
  };
  const auto neighbours = [&](std::int64_t z) {
    Neighbours<columns> found{};
    const float* const row = &from[z * area];
    if (y > 0) found.north = load<columns>(row - field.width);
    if (y + 1 < field.height) found.south = load<columns>(row + field.width);
    if (x > 0) found.west = row[-1];
    if (x + columns < field.width) found.east = row[columns];
    return found;
  };

  Floats<columns> before = own(first - 1);
  Floats<columns> middle = own(first);
  Floats<columns> behind = own(first + 1);
  Neighbours<columns> around = neighbours(first);
#pragma unroll 2
  for (std::int64_t z = first; z < last; ++z) {
    Floats<columns> next{};
    Neighbours<columns> next_around{};
    if (z + 1 < last) {
      next = own(z + 2);
      next_around = neighbours(z + 1);
    }
    Floats<columns> made{};
#pragma unroll
    for (int j = 0; j < columns; ++j) {
      const bool stays = x + j == 0 || x + j == field.width - 1 || y == 0 || y == field.height - 1 ||
                         z == 0 || z == field.depth - 1;
      const float mean = mean_of(middle.at[j], j > 0 ? middle.at[j - 1] : around.west,
                                 j + 1 < columns ? middle.at[j + 1] : around.east, around.north.at[j],
                                 around.south.at[j], before.at[j], behind.at[j]);
      made.at[j] = stays ? middle.at[j] : mean;
    }
    store(&field.out[z * area + y * field.width + x], made);
    before = middle;
    middle = behind;
    behind = next;
    around = next_around;
  }
}
// [kernel]

void launch(cudaStream_t stream, const Field& field, int planes, int columns) {
  if (field.width % columns != 0) columns = 1;
  const dim3 grid(static_cast<unsigned>(blocks_over(field.width, std::int64_t{block.x} * columns)),
                  static_cast<unsigned>(blocks_over(field.height, block.y)),
                  static_cast<unsigned>(blocks_over(field.depth, planes)));
  const auto kernel = columns == 1 ? seven_point<1> : seven_point<4>;
  kernel<<<grid, block, 0, stream>>>(field, planes);
}

/// Of a field whose depth the planes and whose width the warps divide. No lane has a neighbour beyond an
/// edge.
model::Prediction predict(const Field& field, int planes, int columns) {
  const std::int64_t across = field.width / (std::int64_t{model::warp_size} * columns);
  const std::int64_t rows = field.height * field.depth;
  const auto west = [=](int lane) { return lane * columns - 1; };
  const auto east = [=](int lane) { return lane * columns + columns; };
  return model::Prediction{}
      .global_load(across * field.height * (field.depth / planes * (planes + 2) - 2), 4 * columns, own_lane)
      .global_load(2 * across * (field.height - 1) * field.depth, 4 * columns, own_lane)
      .global_load((across - 1) * rows, 4, [=](int lane) { return west(lane + model::warp_size); })
      .global_load(rows, 4,
                   [=](int lane) { return lane > 0 ? model::Element(west(lane)) : model::Element(); })
      .global_load((across - 1) * rows, 4, east)
      .global_load(rows, 4,
                   [=](int lane) { return lane < 31 ? model::Element(east(lane)) : model::Element(); })
      .global_store(across * rows, 4 * columns, own_lane);
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("planes", {16, 1, 4, 32}).with("columns", {4, 1}).settings()) {
    const int planes = setting.number("planes");
    const int columns = setting.number("columns");
    add(space_variant(
        "seven-point", setting,
        {.launch = [=](cudaStream_t stream, const Field& field) { launch(stream, field, planes, columns); },
         .predict = [=](const Field& field) { return predict(field, planes, columns); }}));
  }
}
