// One coordinate of points: in an array of structures, and in a structure of arrays.
//
// Exercise: Add only the coordinate x of an array of structures of three floats. How many bytes does the DRAM
// move for a point? Find the layout for which it moves a quarter of them.
#include "problem.hpp"

namespace {
constexpr dim3 block{256};

// [kernel]
/// Coordinates lie `floats` apart: 3 in an array of structures, 1 in an array of its own.
__global__ void add_coordinate(const float* __restrict__ a, const float* __restrict__ b,
                               float* __restrict__ c, std::int64_t points, int floats) {
  const std::int64_t index = thread_index();
  if (index < points) c[index * floats] = a[index * floats] + b[index * floats];
}
// [kernel]

void launch(cudaStream_t stream, Vectors v, int floats) {
  const std::int64_t points = blocks_over(v.count, floats);
  add_coordinate<<<grid_for(points, block), block, 0, stream>>>(v.a, v.b, v.c, points, floats);
}

// [predict]
model::Prediction predict(std::int64_t count, int floats) {
  const std::int64_t points = blocks_over(count, floats);
  const std::int64_t warps = points / model::warp_size;
  const std::int64_t left = points % model::warp_size;
  const auto whole = [&](int lane) { return lane * floats; };
  const auto last = [&](int lane) -> model::Element {
    if (lane >= left) return {};
    return std::int64_t{lane} * floats;
  };
  return model::Prediction{}
      .global_load(2 * warps, 4, whole)
      .global_store(warps, 4, whole)
      .global_load(2, 4, last)
      .global_store(1, 4, last);
}
// [predict]
}  // namespace

void weft::register_steps() {
  const auto selection = [](const Setting& at) { return Selection{.stride = at.number()}; };
  add_vectors("one-coordinate", Axes(block).with("floats", {3, 1}), launch, predict,
              {.selection = selection, .curve = true, .measured = {timed_size}, .counted = {counted_size}});
}

TEST_CASE("for as many points, an array of their own costs a third of the sectors") {
  constexpr std::int64_t points = 1 << 12;
  CHECK(predict(3 * points, 3)[model::Metric::global_load_sectors] ==
        3 * predict(points, 1)[model::Metric::global_load_sectors]);
}
