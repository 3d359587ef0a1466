// Each thread transposes a patch of 4 × 4 in its registers. It reads and writes only whole float4s.
#include "problem.hpp"

namespace {
constexpr int patch = 4;
constexpr dim3 block{16, 16};

// [kernel]
__global__ void transpose_register_tile(const float* __restrict__ in, float* __restrict__ out,
                                        std::int64_t rows, std::int64_t columns) {
  const std::int64_t row = (block_y() * blockDim.y + threadIdx.y) * patch;
  const std::int64_t column = (block_x() * blockDim.x + threadIdx.x) * patch;
  if (row >= rows || column >= columns) return;
  float4 read[patch];
#pragma unroll
  for (int k = 0; k < patch; ++k) {
    read[k] = *reinterpret_cast<const float4*>(&in[(row + k) * columns + column]);
  }
  // __stwb is a plain store, and always a whole one: the compiler may store a float4 in parts otherwise.
  const auto write = [&](int k, float4 line) {
    __stwb(reinterpret_cast<float4*>(&out[(column + k) * rows + row]), line);
  };
  write(0, {read[0].x, read[1].x, read[2].x, read[3].x});
  write(1, {read[0].y, read[1].y, read[2].y, read[3].y});
  write(2, {read[0].z, read[1].z, read[2].z, read[3].z});
  write(3, {read[0].w, read[1].w, read[2].w, read[3].w});
}
// [kernel]

// [edges]
/// The same patches element by element, for all other sizes. A float4 begins at a multiple of 16 bytes. If
/// the length of a row is not a multiple of 4, the next row begins elsewhere. And the last patch reaches past
/// the edge.
__global__ void transpose_any_patch(const float* __restrict__ in, float* __restrict__ out, std::int64_t rows,
                                    std::int64_t columns) {
  const std::int64_t row = (block_y() * blockDim.y + threadIdx.y) * patch;
  const std::int64_t column = (block_x() * blockDim.x + threadIdx.x) * patch;
  float values[patch][patch];
#pragma unroll
  for (int k = 0; k < patch * patch; ++k) {
    const std::int64_t r = row + k / patch;
    const std::int64_t c = column + k % patch;
    if (r < rows && c < columns) values[k / patch][k % patch] = in[r * columns + c];
  }
#pragma unroll
  for (int k = 0; k < patch * patch; ++k) {
    const std::int64_t r = row + k % patch;
    const std::int64_t c = column + k / patch;
    if (r < rows && c < columns) out[c * rows + r] = values[k % patch][k / patch];
  }
}
// [edges]

// [launch]
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  const dim3 grid = grid_over(blocks_over(in.columns, patch), blocks_over(in.rows, patch), block);
  const bool whole_patches = in.rows % patch == 0 && in.columns % patch == 0;
  const auto kernel = whole_patches ? transpose_register_tile : transpose_any_patch;
  kernel<<<grid, block, 0, stream>>>(in.data, out.data, in.rows, in.columns);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t rows, std::int64_t columns) {
  const std::int64_t warps = rows * columns / patch / patch / model::warp_size;
  const auto x = [](int lane) { return lane % static_cast<int>(block.x); };
  const auto y = [](int lane) { return lane / static_cast<int>(block.x); };
  return model::Prediction{}
      .global_load(warps * patch, 16, [&](int lane) { return y(lane) * columns + x(lane); })
      .global_store(warps * patch, 16, [&](int lane) { return x(lane) * rows + y(lane); });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() { add_transpose("register-tile", block, launch, predict); }
// [step]

TEST_CASE("the kernel counts what source 000 took with Nsight Compute on another GPU") {
  with_counts({1024, 1024}, [](const model::Metrics& counted) {
    CHECK(counted[model::Metric::global_load_requests] == 8'192);
    CHECK(counted[model::Metric::global_load_sectors] == 131'072);
    CHECK(counted[model::Metric::global_store_requests] == 8'192);
    CHECK(counted[model::Metric::global_store_sectors] == 131'072);
  });
}
