// The array of structures again, but read and written as plain floats; the structures are made in shared
// memory.
#include "problem.hpp"

namespace {
constexpr dim3 block{256};
constexpr int floats = 3;  // of a point
constexpr int words = floats * static_cast<int>(block.x);

// [kernel]
__global__ void add_points_shared(const float* __restrict__ a, const float* __restrict__ b,
                                  float* __restrict__ c, std::int64_t count) {
  __shared__ float p[words];
  __shared__ float q[words];
  const std::int64_t first = std::int64_t{blockIdx.x} * words;
#pragma unroll
  for (int i = 0; i < floats; ++i) {
    const int word = threadIdx.x + i * block.x;
    if (first + word >= count) continue;
    p[word] = a[first + word];
    q[word] = b[first + word];
  }
  __syncthreads();
  const int mine = floats * threadIdx.x;  // 3 is odd: the lanes' words lie in 32 different banks
  if (first + mine < count) {
    p[mine] += q[mine + 1];  // b's axes are y, z, x
    p[mine + 1] += q[mine + 2];
    p[mine + 2] += q[mine];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < floats; ++i) {
    const int word = threadIdx.x + i * block.x;
    if (first + word < count) c[first + word] = p[word];
  }
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Vectors v) {
  const dim3 grid = grid_for(v.count / floats, block);
  add_points_shared<<<grid, block, 0, stream>>>(v.a, v.b, v.c, v.count);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t points) {
  const std::int64_t warps = points / model::warp_size;
  return model::Prediction{}
      .global_load(2 * warps * floats, 4, [](int lane) { return lane; })
      .shared_store(2 * warps * floats, 4, [](int lane) { return lane; })
      .shared_load(2 * warps * floats, 4, [](int lane) { return floats * lane; })
      .shared_store(floats * warps, 4, [](int lane) { return floats * lane; })
      .shared_load(floats * warps, 4, [](int lane) { return lane; })
      .global_store(floats * warps, 4, [](int lane) { return lane; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() { add_points("points-shared", block, Layout::structures, launch, predict); }
// [step]

TEST_CASE("neither the floats nor the structures meet a bank conflict") {
  const model::Metrics predicted = predict(1024);
  CHECK(predicted[model::Metric::shared_load_wavefronts] == predicted[model::Metric::shared_load_requests]);
  CHECK(predicted[model::Metric::shared_store_wavefronts] == predicted[model::Metric::shared_store_requests]);
}
