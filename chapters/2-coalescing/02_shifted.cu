// The same add, but beginning some elements later: a warp's floats now begin and end inside sectors.
#include "problem.hpp"

namespace {
constexpr dim3 block{256};
constexpr int most = 32;

// [kernel]
__global__ void add_shifted(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                            std::int64_t count, int offset) {
  const std::int64_t index = thread_index() + offset;
  if (index < count + offset) c[index] = a[index] + b[index];
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Vectors v, int offset) {
  add_shifted<<<grid_for(v.count, block), block, 0, stream>>>(v.a, v.b, v.c, v.count, offset);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t count, int offset) {
  const std::int64_t warps = count / model::warp_size;
  return model::Prediction{}
      .global_load(2 * warps, 4, [&](int lane) { return lane + offset; })
      .global_store(warps, 4, [&](int lane) { return lane + offset; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() {
  const auto selection = [](const Setting& at) { return Selection{.first = at.number()}; };
  add_vectors("shifted", Axes(block).with("offset", range(0, most)), launch, predict,
              {.selection = selection, .curve = true, .measured = {timed_size}});
}
// [step]

TEST_CASE("a warp touches five sectors unless it begins on one") {
  for (int offset = 0; offset <= most; ++offset) {
    const model::Metrics predicted = predict(1 << 10, offset);
    const std::uint64_t per_request = offset % 8 == 0 ? 4 : 5;
    CHECK(predicted[model::Metric::global_load_sectors] ==
          per_request * predicted[model::Metric::global_load_requests]);
    CHECK(predicted[model::Metric::global_store_sectors] ==
          per_request * predicted[model::Metric::global_store_requests]);
  }
}

TEST_CASE("the counts of source 000, taken with Nsight Compute on another card, are the predicted ones") {
  const model::Metrics predicted = predict(1 << 23, 1);
  CHECK(predicted[model::Metric::global_load_sectors] == 2'621'440);
  CHECK(predicted[model::Metric::global_store_sectors] == 1'310'720);
}
