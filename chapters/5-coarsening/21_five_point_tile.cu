// The block brings its tile, and the rows and columns around it, into shared memory: each once.
#include "sweep.hpp"

namespace {
constexpr dim3 block{32, 8};

// [kernel]
__global__ __launch_bounds__(block.x* block.y) void five_point_tile(const float* __restrict__ in,
                                                                    float* __restrict__ out,
                                                                    std::int64_t height, std::int64_t width) {
  __shared__ float tile[block.y + 2][block.x + 2];
  const int column = static_cast<int>(threadIdx.x) + 1;
  const int row = static_cast<int>(threadIdx.y) + 1;
  const std::int64_t x = block_x() * block.x + threadIdx.x;
  const std::int64_t y = block_y() * block.y + threadIdx.y;
  const bool inside = x < width && y < height;
  const float* const from = &in[y * width + x];
  if (inside) tile[row][column] = *from;
  if (inside && threadIdx.x == 0 && x > 0) tile[row][0] = from[-1];
  if (inside && threadIdx.x == block.x - 1 && x + 1 < width) tile[row][block.x + 1] = from[1];
  if (inside && threadIdx.y == 0 && y > 0) tile[0][column] = from[-width];
  if (inside && threadIdx.y == block.y - 1 && y + 1 < height) tile[block.y + 1][column] = from[width];
  __syncthreads();
  if (!inside) return;
  const bool at_edge = x == 0 || x == width - 1 || y == 0 || y == height - 1;
  const float middle = tile[row][column];
  out[y * width + x] = at_edge ? middle
                               : mean_of(middle, tile[row][column - 1], tile[row][column + 1],
                                         tile[row - 1][column], tile[row + 1][column]);
}
// [kernel]

void launch(cudaStream_t stream, const Field& field) {
  const dim3 grid = grid_over(field.width, field.height, block);
  five_point_tile<<<grid, block, 0, stream>>>(field.in, field.out, field.height, field.width);
}
/// Of a field whose extents the tiles divide. Warps whose lanes have nothing to store beside the tile are
/// issued the store all the same; warps at the first and the last row ask for no neighbour.
model::Prediction predict(const Field& field) {
  const std::int64_t tiles = field.width / block.x * (field.height / block.y);
  const std::int64_t rows = tiles * block.y;
  const auto last_lane = [](int lane) { return lane == 31 ? model::Element(0) : model::Element(); };
  const std::int64_t beside = rows - field.height;
  const std::int64_t above = tiles - field.width / block.x;
  return model::Prediction{}
      .global_load(rows, 4, own_lane)
      .global_load(2 * beside, 4, last_lane)
      .global_load(2 * above, 4, own_lane)
      .shared_store(rows + 2 * above, 4, own_lane)
      .shared_store(2 * beside, 4, first_lane)
      .skipped_shared_store(4 * rows - 2 * above - 2 * beside)
      .shared_load(rows, 4, own_lane)
      .shared_load(4 * (rows - 2 * field.width / block.x), 4, own_lane)
      .global_store(rows, 4, own_lane);
}
}  // namespace

void weft::register_steps() {
  add(plane_variant("five-point-tile", {}, {.launch = launch, .predict = predict}));
}
