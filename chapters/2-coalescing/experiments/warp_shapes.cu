// The block stays 32 wide and 8 high; which 32 of its elements a warp adds changes.
#include "problem.hpp"

namespace {
constexpr int block_width = 32;
constexpr int block_height = 8;
const List<dim3> blocks{{block_width, block_height}};

template <int warp_width>
__global__ void add_warp_shapes(const float* __restrict__ a, const float* __restrict__ b,
                                float* __restrict__ c, std::int64_t rows, std::int64_t columns) {
  constexpr int warps_across = block_width / warp_width;
  constexpr int warp_height = model::warp_size / warp_width;
  const int x = threadIdx.y % warps_across * warp_width + threadIdx.x % warp_width;
  const int y = threadIdx.y / warps_across * warp_height + threadIdx.x / warp_width;
  const std::int64_t row = block_y() * block_height + y;
  const std::int64_t column = block_x() * block_width + x;
  if (row >= rows || column >= columns) return;
  const std::int64_t index = row * columns + column;
  c[index] = a[index] + b[index];
}

void launch(cudaStream_t stream, Vectors v, std::int64_t rows, std::int64_t columns, dim3 block, int width) {
  const dim3 grid = grid_over(columns, rows, block);
  const auto kernel = width == 32   ? add_warp_shapes<32>
                      : width == 16 ? add_warp_shapes<16>
                      : width == 8  ? add_warp_shapes<8>
                                    : add_warp_shapes<4>;
  kernel<<<grid, block, 0, stream>>>(v.a, v.b, v.c, rows, columns);
}

model::Prediction predict(std::int64_t rows, std::int64_t columns, int width) {
  const std::int64_t warps = rows * columns / model::warp_size;
  const auto place = [&](int lane) { return lane / width * columns + lane % width; };
  return model::Prediction{}.global_load(2 * warps, 4, place).global_store(warps, 4, place);
}
}  // namespace

void weft::register_steps() {
  add_matrices("warp-shapes", Axes(blocks).with("width", {32, 16, 8, 4}), launch, predict, Kind::experiment);
}
