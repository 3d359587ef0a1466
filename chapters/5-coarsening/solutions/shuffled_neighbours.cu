// The neighbours to the west and to the east come from other lanes: the warp's outermost two are loaded.
#include "sweep.hpp"

namespace {
constexpr dim3 block{128};

// [kernel]
__global__ __launch_bounds__(block.x) void shuffled_neighbours(Field field) {
  const auto width = static_cast<int>(field.width);
  const int x = static_cast<int>(blockIdx.x * block.x + threadIdx.x);
  const std::int64_t y = block_y();
  const float* const row = &field.in[y * width];
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const bool inside = x < width;
  const float middle = inside ? row[x] : 0;
  const bool inner_row = y > 0 && y < field.height - 1;
  const float north = inside && inner_row ? row[x - width] : 0;
  const float south = inside && inner_row ? row[x + width] : 0;
  float west = __shfl_up_sync(~0U, middle, 1);
  float east = __shfl_down_sync(~0U, middle, 1);
  if (lane == 0 && inside && x > 0) west = row[x - 1];
  if (lane == 31 && x + 1 < width) east = row[x + 1];
  const bool stays = x == 0 || x == width - 1 || !inner_row;
  if (inside) field.out[y * width + x] = stays ? middle : mean_of(middle, west, east, north, south);
}
// [kernel]

void launch(cudaStream_t stream, const Field& field) {
  const dim3 grid = grid_over(field.width, field.height, block);
  shuffled_neighbours<<<grid, block, 0, stream>>>(field);
}

}  // namespace

void weft::register_steps() {
  add(plane_variant("shuffled-neighbours", {}, {.launch = launch, .predict = {}}));
}

TEST_CASE("a warp loads three rows, and two elements more") {
  with_counts({128, 512}, [](const model::Metrics& counted) {
    constexpr std::uint64_t across = 512 / 32;
    constexpr std::uint64_t outermost = std::uint64_t{2} * 128 * (across - 1);
    CHECK(counted[model::Metric::global_load_requests] == across * (3 * 128 - 4) + outermost);
    CHECK(counted[model::Metric::global_load_sectors] == 4 * across * (3 * 128 - 4) + outermost);
  });
}
