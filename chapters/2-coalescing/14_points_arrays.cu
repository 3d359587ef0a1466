// A structure of arrays: each coordinate lies in an array of its own, and each load is that of a plain add.
#include "problem.hpp"

namespace {
constexpr dim3 block{256};

// [kernel]
template <typename T>
struct Points {
  T* x;
  T* y;
  T* z;
};

__global__ void add_points_arrays(Points<const float> a, Points<const float> b, Points<float> c,
                                  std::int64_t points) {
  const std::int64_t index = thread_index();
  if (index >= points) return;
  const float x = a.x[index] + b.y[index];  // b's axes are y, z, x
  const float y = a.y[index] + b.z[index];
  const float z = a.z[index] + b.x[index];
  c.x[index] = x;
  c.y[index] = y;
  c.z[index] = z;
}
// [kernel]

// [launch]
template <typename T>
Points<T> arrays(T* first, std::int64_t points) {
  return {first, first + points, first + 2 * points};
}

void launch(cudaStream_t stream, Vectors v) {
  const std::int64_t points = v.count / 3;
  add_points_arrays<<<grid_for(points, block), block, 0, stream>>>(arrays(v.a, points), arrays(v.b, points),
                                                                   arrays(v.c, points), points);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t points) {
  const std::int64_t warps = points / model::warp_size;
  return model::Prediction{}
      .global_load(2 * warps * 3, 4, [](int lane) { return lane; })
      .global_store(3 * warps, 4, [](int lane) { return lane; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() { add_points("points-arrays", block, Layout::arrays, launch, predict); }
// [step]
