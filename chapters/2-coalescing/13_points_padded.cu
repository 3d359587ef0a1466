// Structures padded to four floats: one access of sixteen bytes, and a quarter of the bytes is padding.
#include "problem.hpp"

namespace {
constexpr dim3 block{256};

// [kernel]
struct alignas(16) Point {
  float x, y, z, unused;
};

__global__ void add_points_padded(const Point* __restrict__ a, const Point* __restrict__ b,
                                  Point* __restrict__ c, std::int64_t points) {
  const std::int64_t index = thread_index();
  if (index >= points) return;
  const Point p = a[index];
  const Point q = b[index];  // its axes are y, z, x
  c[index] = {p.x + q.y, p.y + q.z, p.z + q.x, p.unused + q.unused};
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Vectors v) {
  require_aligned(v, alignof(Point));
  const std::int64_t points = v.count / 4;
  add_points_padded<<<grid_for(points, block), block, 0, stream>>>(reinterpret_cast<const Point*>(v.a),
                                                                   reinterpret_cast<const Point*>(v.b),
                                                                   reinterpret_cast<Point*>(v.c), points);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t points) {
  const std::int64_t warps = points / model::warp_size;
  return model::Prediction{}
      .global_load(2 * warps, 16, [](int lane) { return lane; })
      .global_store(warps, 16, [](int lane) { return lane; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() {
  add_points("points-padded", block, Layout::padded_structures, launch, predict);
}
// [step]
