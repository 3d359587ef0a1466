// The array of structures, each coordinate asked for when the one before is there, with the L1 and past it.
#include "problem.hpp"

namespace {
constexpr dim3 block{256};
const Numbers past_l1{0, 1};

struct Point {
  float x, y, z;
};

template <bool past>
__device__ float load(const float* coordinate) {
  return past ? __ldcg(coordinate) : __ldg(coordinate);
}

/// 0, which the compiler cannot know before the two are there: no sum of inputs has these bits.
__device__ std::int64_t after(float p, float q) { return __float_as_uint(p + q) == 0x7fc12345 ? 1 : 0; }

template <bool past>
__global__ void add_points_by_turns(const Point* __restrict__ a, const Point* __restrict__ b,
                                    Point* __restrict__ c, std::int64_t points) {
  std::int64_t index = thread_index();
  if (index >= points) return;
  Point p{};
  Point q{};  // its axes are y, z, x
  p.x = load<past>(&a[index].x);
  q.x = load<past>(&b[index].x);
  index += after(p.x, q.x);
  p.y = load<past>(&a[index].y);
  q.y = load<past>(&b[index].y);
  index += after(p.y, q.y);
  p.z = load<past>(&a[index].z);
  q.z = load<past>(&b[index].z);
  c[index] = {p.x + q.y, p.y + q.z, p.z + q.x};
}

void launch(cudaStream_t stream, Vectors v, int past) {
  const std::int64_t points = v.count / 3;
  const auto kernel = past != 0 ? add_points_by_turns<true> : add_points_by_turns<false>;
  kernel<<<grid_for(points, block), block, 0, stream>>>(reinterpret_cast<const Point*>(v.a),
                                                        reinterpret_cast<const Point*>(v.b),
                                                        reinterpret_cast<Point*>(v.c), points);
}

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
  add_points("points-by-turns", Axes(block).with("past-l1", past_l1), Layout::structures, launch, predict,
             Kind::experiment);
}
