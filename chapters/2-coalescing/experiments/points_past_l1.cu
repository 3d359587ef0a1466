// The array of structures with loads that ask past the L1: no sector is found again there.
#include "problem.hpp"

namespace {
constexpr dim3 block{256};

// [kernel]
struct Point {
  float x, y, z;
};

__device__ Point load_past_l1(const Point* point) {
  return {__ldcg(&point->x), __ldcg(&point->y), __ldcg(&point->z)};
}

__global__ void add_points_past_l1(const Point* __restrict__ a, const Point* __restrict__ b,
                                   Point* __restrict__ c, std::int64_t points) {
  const std::int64_t index = thread_index();
  if (index >= points) return;
  const Point p = load_past_l1(&a[index]);
  const Point q = load_past_l1(&b[index]);  // its axes are y, z, x
  c[index] = {p.x + q.y, p.y + q.z, p.z + q.x};
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Vectors v) {
  const std::int64_t points = v.count / 3;
  add_points_past_l1<<<grid_for(points, block), block, 0, stream>>>(reinterpret_cast<const Point*>(v.a),
                                                                    reinterpret_cast<const Point*>(v.b),
                                                                    reinterpret_cast<Point*>(v.c), points);
}
// [launch]

model::Prediction predict(std::int64_t points) {
  const std::int64_t warps = points / model::warp_size;
  model::Prediction prediction;
  for (int coordinate = 0; coordinate < 3; ++coordinate) {
    const auto place = [&](int lane) { return 3 * lane + coordinate; };
    prediction.global_load(2 * warps, 4, place).global_store(warps, 4, place);
  }
  return prediction;
}
}  // namespace

void weft::register_steps() {
  add_points("points-past-l1", block, Layout::structures, launch, predict, Kind::experiment);
}
