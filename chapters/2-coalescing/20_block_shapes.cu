// The same 256 threads as a block of other width and height: a warp is 32 threads along x, then along y.
#include "problem.hpp"

namespace {
const List<dim3> blocks{{32, 8}, {256, 1}, {64, 4}, {16, 16}, {8, 32}, {4, 64}, {2, 128}, {1, 256}};

// [kernel]
__global__ void add_matrices(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                             std::int64_t rows, std::int64_t columns) {
  const std::int64_t row = block_y() * blockDim.y + threadIdx.y;
  const std::int64_t column = block_x() * blockDim.x + threadIdx.x;
  if (row >= rows || column >= columns) return;
  const std::int64_t index = row * columns + column;
  c[index] = a[index] + b[index];
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Vectors v, std::int64_t rows, std::int64_t columns, dim3 block) {
  add_matrices<<<grid_over(columns, rows, block), block, 0, stream>>>(v.a, v.b, v.c, rows, columns);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t rows, std::int64_t columns, dim3 block) {
  const std::int64_t warps = rows * columns / model::warp_size;
  const auto place = [&](int lane) { return lane / block.x * columns + lane % block.x; };
  return model::Prediction{}.global_load(2 * warps, 4, place).global_store(warps, 4, place);
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() { add_matrices("block-shapes", blocks, launch, predict); }
// [step]

TEST_CASE("eight threads along x are enough to fill sectors") {
  for (const dim3 block : blocks) {
    const model::Metrics predicted = predict(1024, 1024, block);
    const std::uint64_t per_request = max(4U, 32 / block.x);
    CHECK(predicted[model::Metric::global_load_sectors] ==
          per_request * predicted[model::Metric::global_load_requests]);
  }
}
