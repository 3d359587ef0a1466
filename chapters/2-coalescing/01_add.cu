// One thread adds one element: a warp's 32 floats are four whole sectors, and all of their bytes are wanted.
#include "problem.hpp"

namespace {
constexpr dim3 block{256};

// [kernel]
__global__ void add_elements(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                             std::int64_t count) {
  const std::int64_t index = thread_index();
  if (index < count) c[index] = a[index] + b[index];
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Vectors v) {
  add_elements<<<grid_for(v.count, block), block, 0, stream>>>(v.a, v.b, v.c, v.count);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t count) {
  const std::int64_t warps = count / model::warp_size;
  return model::Prediction{}
      .global_load(2 * warps, 4, [](int lane) { return lane; })
      .global_store(warps, 4, [](int lane) { return lane; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() { add_vectors("add", block, launch, predict); }
// [step]

TEST_CASE("an aligned add asks for the bytes that it needs, and for no others") {
  constexpr std::int64_t count = 1 << 20;
  const model::Metrics predicted = predict(count);
  const std::uint64_t vector_bytes = sizeof(float) * count;
  CHECK(predicted[model::Metric::global_load_sectors] * model::sector_bytes == 2 * vector_bytes);
  CHECK(predicted[model::Metric::global_store_sectors] * model::sector_bytes == vector_bytes);
}

TEST_CASE("the add of source 000 at 2^23 elements: four sectors a request") {
  const model::Metrics predicted = predict(1 << 23);
  CHECK(predicted[model::Metric::global_load_sectors] == 4 * predicted[model::Metric::global_load_requests]);
  CHECK(predicted[model::Metric::global_store_sectors] ==
        4 * predicted[model::Metric::global_store_requests]);
}
