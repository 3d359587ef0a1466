// The add with its lanes running backwards: the same sectors, touched in the other order.
//
// Exercise: Let thread i add the element n - 1 - i. Does it matter that the lanes run backwards?
#include "problem.hpp"

namespace {
constexpr dim3 block{256};

// [kernel]
__global__ void add_reversed(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                             std::int64_t count) {
  const std::int64_t index = count - 1 - thread_index();
  if (index >= 0) c[index] = a[index] + b[index];
}
// [kernel]

void launch(cudaStream_t stream, Vectors v) {
  add_reversed<<<grid_for(v.count, block), block, 0, stream>>>(v.a, v.b, v.c, v.count);
}

// [predict]
model::Prediction predict(std::int64_t count) {
  const std::int64_t warps = count / model::warp_size;
  return model::Prediction{}
      .global_load(2 * warps, 4, [&](int lane) { return count - 1 - lane; })
      .global_store(warps, 4, [&](int lane) { return count - 1 - lane; });
}
// [predict]
}  // namespace

void weft::register_steps() { add_vectors("reversed", block, launch, predict); }

TEST_CASE(
    "backwards costs what forwards does, and a count that is no multiple of eight costs a sector more") {
  const auto per_request = [](std::int64_t count) {
    const model::Metrics predicted = predict(count);
    return predicted[model::Metric::global_load_sectors] / predicted[model::Metric::global_load_requests];
  };
  CHECK(per_request(1024) == 4);
  CHECK(per_request(1032) == 4);
  CHECK(per_request(1025) == 5);
}

TEST_CASE("the emulator counts the same") {
  with_counts({1 << 20}, [](const model::Metrics& counted) {
    const model::Metrics predicted = predict(1 << 20);
    for (const auto& [metric, value] : predicted) CHECK(counted[metric] == value);
  });
}
