// Threads march along the third axis: of the planes before and behind they keep their own elements in
// registers.
#include "sweep.hpp"

namespace {
constexpr dim3 block{model::warp_size, 8};
constexpr int blocks_of_multiprocessor = 5;

// [kernel]
/// @tparam columns of a thread, side by side: they must divide the width
/// @param planes of a block, one behind the other
template <int columns>
__global__ __launch_bounds__(block.x* block.y, blocks_of_multiprocessor) void seven_point(const Field field,
                                                                                          int planes) {
  const std::int64_t x = (std::int64_t{blockIdx.x} * block.x + threadIdx.x) * columns;
  const std::int64_t y = std::int64_t{blockIdx.y} * block.y + threadIdx.y;
  if (y >= field.height) return;
  const std::int64_t first = std::int64_t{blockIdx.z} * planes;
  const std::int64_t last = min(first + planes, field.depth);
  const std::int64_t area = field.height * field.width;
  const bool is_west = threadIdx.x == 0;  // the others' neighbours beside them are other lanes'
  const bool asks_beside = is_west ? x > 0 : threadIdx.x == block.x - 1 && x + columns < field.width;
  const std::int64_t place = (first * field.height + y) * field.width + x;
  const float* from = field.in + place;  // in the plane that is being made
  float* to = field.out + place;
  const auto loaded = [&](bool exists, const float* row) {
    Floats<columns> found{};
    if (exists && x < field.width) found = load<columns>(row);
    return found;
  };

  Floats<columns> before = loaded(first > 0, from - area);
  Floats<columns> middle = loaded(true, from);
  Floats<columns> behind = loaded(first + 1 < field.depth, from + area);
#pragma unroll 3
  for (std::int64_t z = first; z < last; ++z) {
    const Floats<columns> next = loaded(z + 1 < last && z + 2 < field.depth, from + 2 * area);
    const Floats<columns> north = loaded(y > 0, from - field.width);
    const Floats<columns> south = loaded(y + 1 < field.height, from + field.width);
    float beside = 0;
    if (asks_beside) beside = from[is_west ? -1 : columns];
    const float left = __shfl_up_sync(~0U, middle.at[columns - 1], 1);
    const float right = __shfl_down_sync(~0U, middle.at[0], 1);
    const float west = is_west ? beside : left;
    const float east = threadIdx.x == block.x - 1 ? beside : right;
    Floats<columns> made{};
#pragma unroll
    for (int j = 0; j < columns; ++j) {
      const bool stays = x + j == 0 || x + j == field.width - 1 || y == 0 || y == field.height - 1 ||
                         z == 0 || z == field.depth - 1;
      const float mean =
          mean_of(middle.at[j], j > 0 ? middle.at[j - 1] : west, j + 1 < columns ? middle.at[j + 1] : east,
                  north.at[j], south.at[j], before.at[j], behind.at[j]);
      made.at[j] = stays ? middle.at[j] : mean;
    }
    if (x < field.width) store(to, made);
    before = middle;
    middle = behind;
    behind = next;
    from += area;
    to += area;
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

/// Of a field whose width the warps divide. The lanes at a warp's ends ask for what lies beside them, if
/// there is any: one request for both.
model::Prediction predict(const Field& field, int planes, int columns) {
  const std::int64_t across = field.width / (std::int64_t{model::warp_size} * columns);
  const std::int64_t rows = field.height * field.depth;
  std::int64_t own = 0;  // planes
  for (std::int64_t first = 0; first < field.depth; first += planes) {
    own += min(first + planes + 1, field.depth) - max(first - 1, std::int64_t{0});
  }
  model::Prediction prediction;
  prediction.global_load(across * field.height * own, 4 * columns, own_lane)
      .global_load(2 * across * (field.height - 1) * field.depth, 4 * columns, own_lane)
      .global_store(across * rows, 4 * columns, own_lane);
  const std::int64_t span = std::int64_t{model::warp_size} * columns;
  for (std::int64_t i = 0; i < across && across > 1; ++i) {
    prediction.global_load(rows, 4, [=](int lane) {
      if (lane == 0 && i > 0) return model::Element(span - 1);
      return lane == 31 && i + 1 < across ? model::Element(2 * span) : model::Element();
    });
  }
  return prediction;
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting :
       Axes().with("planes", {16, 1, 4, 32, 52, 103}).with("columns", {4, 1}).settings()) {
    const int planes = setting.number("planes");
    const int columns = setting.number("columns");
    add(space_variant(
        "seven-point", setting,
        {.launch = [=](cudaStream_t stream, const Field& field) { launch(stream, field, planes, columns); },
         .predict = [=](const Field& field) { return predict(field, planes, columns); }}));
  }
}
