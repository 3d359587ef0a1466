// A plain matrix product whose B lies row by row: neighbouring lanes read neighbouring elements of a row.
#include "multiply.hpp"

namespace {
constexpr dim3 block{32, 32};

// [kernel]
__global__ void multiply_rows(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                              std::int64_t rows, std::int64_t inner, std::int64_t columns) {
  const std::int64_t row = block_y() * blockDim.y + threadIdx.y;
  const std::int64_t column = block_x() * blockDim.x + threadIdx.x;
  if (row >= rows || column >= columns) return;
  float sum = 0;
  for (std::int64_t k = 0; k < inner; ++k) sum += a[row * inner + k] * b[k * columns + column];
  c[row * columns + column] = sum;
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Matrices m) {
  const dim3 grid = grid_over(m.columns, m.rows, block);
  multiply_rows<<<grid, block, 0, stream>>>(m.a, m.b, m.c, m.rows, m.inner, m.columns);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t rows, std::int64_t inner, std::int64_t columns) {
  const std::int64_t warps = rows * columns / model::warp_size;
  return model::Prediction{}
      .global_load(warps * inner, 4, [](int) { return 0; })  // one element of A, for all lanes
      .global_load(warps * inner, 4, [](int lane) { return lane; })
      .global_store(warps, 4, [](int lane) { return lane; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() { add_product("multiply-rows", block, Order::by_rows, launch, predict); }
// [step]
