// The same march, and the block brings each plane's tile with the elements around it into shared memory.
#include "sweep.hpp"

namespace {
constexpr dim3 block{32, 8};
constexpr int planes = 16;  // of a block

// [kernel]
__global__ __launch_bounds__(block.x* block.y) void seven_point_tile(const Field field) {
  __shared__ float tile[block.y + 2][block.x + 2];
  const int column = static_cast<int>(threadIdx.x) + 1;
  const int row = static_cast<int>(threadIdx.y) + 1;
  const std::int64_t x = std::int64_t{blockIdx.x} * block.x + threadIdx.x;
  const std::int64_t y = std::int64_t{blockIdx.y} * block.y + threadIdx.y;
  const std::int64_t first = std::int64_t{blockIdx.z} * planes;
  const std::int64_t last = min(first + planes, field.depth);
  const std::int64_t area = field.height * field.width;
  const bool inside = x < field.width && y < field.height;
  const float* const from = field.in + y * field.width + x;
  const auto own = [&](std::int64_t z) { return inside && z >= 0 && z < field.depth ? from[z * area] : 0; };

  float before = own(first - 1);
  float middle = own(first);
  for (std::int64_t z = first; z < last; ++z) {
    const float behind = own(z + 1);
    const float* const at = &from[z * area];
    tile[row][column] = middle;
    if (inside && threadIdx.x == 0 && x > 0) tile[row][0] = at[-1];
    if (inside && threadIdx.x == block.x - 1 && x + 1 < field.width) tile[row][block.x + 1] = at[1];
    if (inside && threadIdx.y == 0 && y > 0) tile[0][column] = at[-field.width];
    if (inside && threadIdx.y == block.y - 1 && y + 1 < field.height)
      tile[block.y + 1][column] = at[field.width];
    __syncthreads();
    if (inside) {
      const bool stays =
          x == 0 || x == field.width - 1 || y == 0 || y == field.height - 1 || z == 0 || z == field.depth - 1;
      const float mean = mean_of(middle, tile[row][column - 1], tile[row][column + 1], tile[row - 1][column],
                                 tile[row + 1][column], before, behind);
      __stcs(&field.out[z * area + y * field.width + x], stays ? middle : mean);
    }
    __syncthreads();  // all have read this plane's tile
    before = middle;
    middle = behind;
  }
}
// [kernel]

void launch(cudaStream_t stream, const Field& field) {
  const dim3 grid(static_cast<unsigned>(blocks_over(field.width, block.x)),
                  static_cast<unsigned>(blocks_over(field.height, block.y)),
                  static_cast<unsigned>(blocks_over(field.depth, planes)));
  seven_point_tile<<<grid, block, 0, stream>>>(field);
}

/// Of a field whose extents the blocks divide. A warp without a neighbour to store is issued the store all
/// the same.
model::Prediction predict(const Field& field) {
  const std::int64_t across = field.width / block.x;
  const std::int64_t rows = across * field.height * field.depth;
  const std::int64_t beside = 2 * (rows - field.height * field.depth);
  const std::int64_t above = 2 * across * (field.height / block.y - 1) * field.depth;
  const auto last_lane = [](int lane) { return lane == 31 ? model::Element(0) : model::Element(); };
  return model::Prediction{}
      .global_load(across * field.height * (field.depth / planes * (planes + 2) - 2), 4, own_lane)
      .global_load(beside, 4, last_lane)
      .global_load(above, 4, own_lane)
      .shared_store(rows + above, 4, own_lane)
      .shared_store(beside, 4, first_lane)
      .skipped_shared_store(4 * rows - above - beside)
      .shared_load(4 * rows, 4, own_lane)
      .global_store(rows, 4, own_lane);
}
}  // namespace

void weft::register_steps() {
  add(space_variant("seven-point-tile", {}, {.launch = launch, .predict = predict}));
}
