// Every thread computes where the walk is by then, and looks up a single place.
#include "problem.hpp"

__global__ void together(const int* next, int* places, std::int64_t size, std::int64_t stride) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) places[i] = next[i * stride % size];
}

void launch(cudaStream_t stream, const int* next, int* places, std::int64_t size, std::int64_t stride, auto) {
  together<<<(size + 255) / 256, 256, 0, stream>>>(next, places, size, stride);
}

void weft::register_steps() {
  Variant made = walk("together", Axes().with("stride", {1}).settings().front(), launch<std::int64_t*>);
  made.predict = [](const Shape& shape) {
    const auto own = [](int lane) { return lane; };
    return model::Prediction{}.global_load(shape[0] / 32, 4, own).global_store(shape[0] / 32, 4, own);
  };
  add(made);
}

TEST_CASE("a warp loads four sectors") {
  with_counts({1024}, [](const model::Metrics& counted) {
    CHECK(counted[model::Metric::global_load_sectors] == 1024 / 8);
  });
}
