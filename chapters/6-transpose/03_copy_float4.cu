// Each thread copies 16 bytes at once: a quarter of the instructions, and four times the bytes on their way.
#include "problem.hpp"

namespace {
constexpr dim3 block{256, 1};
constexpr int width = 4;  // elements of a float4

// [kernel]
__global__ void copy_float4(const float* __restrict__ in, float* __restrict__ out, std::int64_t count) {
  // A copy need not know where a row ends, and cudaMalloc aligns the first element well.
  const std::int64_t whole = count / width;
  const std::int64_t index = block_x() * blockDim.x + threadIdx.x;
  if (index < whole) {
    reinterpret_cast<float4*>(out)[index] = reinterpret_cast<const float4*>(in)[index];
  } else if (index < whole + count % width) {  // the last one, two or three elements
    out[index + whole * (width - 1)] = in[index + whole * (width - 1)];
  }
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Matrix<const float> in, Matrix<float> out) {
  const std::int64_t count = in.rows * in.columns;
  const dim3 grid = grid_over(count / width + count % width, 1, block);
  copy_float4<<<grid, block, 0, stream>>>(in.data, out.data, count);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t rows, std::int64_t columns) {
  const std::int64_t warps = rows * columns / width / model::warp_size;
  return model::Prediction{}
      .global_load(warps, 16, [](int lane) { return lane; })
      .global_store(warps, 16, [](int lane) { return lane; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() { add_copy("copy-float4", block, launch, predict, Kind::ceiling); }
// [step]

TEST_CASE("float4 moves the same sectors in a quarter of the requests") {
  with_counts({1024, 1024}, [](const model::Metrics& counted) {
    const std::uint64_t elements = 1 << 20;
    CHECK(counted[model::Metric::global_load_requests] == elements / model::warp_size / width);
    CHECK(counted[model::Metric::global_load_sectors] * model::sector_bytes == elements * sizeof(float));
    CHECK(counted[model::Metric::global_store_requests] == elements / model::warp_size / width);
    CHECK(counted[model::Metric::global_store_sectors] * model::sector_bytes == elements * sizeof(float));
  });
}
