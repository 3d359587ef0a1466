// An array of structures of three floats: each load of a coordinate touches the sectors of all three.
#include "problem.hpp"

namespace {
constexpr dim3 block{256};

// [kernel]
struct Point {
  float x, y, z;
};

__global__ void add_points_structures(const Point* __restrict__ a, const Point* __restrict__ b,
                                      Point* __restrict__ c, std::int64_t points) {
  const std::int64_t index = thread_index();
  if (index >= points) return;
  const Point p = a[index];
  const Point q = b[index];  // its axes are y, z, x
  c[index] = {p.x + q.y, p.y + q.z, p.z + q.x};
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Vectors v) {
  const std::int64_t points = v.count / 3;
  add_points_structures<<<grid_for(points, block), block, 0, stream>>>(reinterpret_cast<const Point*>(v.a),
                                                                       reinterpret_cast<const Point*>(v.b),
                                                                       reinterpret_cast<Point*>(v.c), points);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t points) {
  const std::int64_t warps = points / model::warp_size;
  model::Prediction prediction;
  for (int coordinate = 0; coordinate < 3; ++coordinate) {
    const auto place = [&](int lane) { return 3 * lane + coordinate; };
    prediction.global_load(2 * warps, 4, place).global_store(warps, 4, place);
  }
  return prediction;
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() { add_points("points-structures", block, Layout::structures, launch, predict); }
// [step]

TEST_CASE("three loads of three floats a lane ask for each sector three times") {
  constexpr std::int64_t points = 1024;
  const model::Metrics predicted = predict(points);
  CHECK(predicted[model::Metric::global_load_sectors] * model::sector_bytes ==
        2 * points * 3 * sizeof(Point));
}
