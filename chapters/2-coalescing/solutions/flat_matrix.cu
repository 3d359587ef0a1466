// Two matrices added as two vectors: where a row begins does not matter to any warp.
//
// Exercise: A matrix has 1000 rows of 1001 floats, with nothing between them. How many sectors does a load of
// the block shapes' kernel touch, in blocks of 32 × 8? Find a kernel for which it is four.
#include "problem.hpp"

namespace {
constexpr dim3 block{256};

// [kernel]
__global__ void add_flat(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                         std::int64_t elements) {
  const std::int64_t index = thread_index();
  if (index < elements) c[index] = a[index] + b[index];
}
// [kernel]

void launch(cudaStream_t stream, Vectors v, std::int64_t rows, std::int64_t columns) {
  add_flat<<<grid_for(rows * columns, block), block, 0, stream>>>(v.a, v.b, v.c, rows * columns);
}

model::Prediction predict(std::int64_t rows, std::int64_t columns) {
  const std::int64_t warps = rows * columns / model::warp_size;
  return model::Prediction{}
      .global_load(2 * warps, 4, [](int lane) { return lane; })
      .global_store(warps, 4, [](int lane) { return lane; });
}

// [rows]
/// What one array costs if each warp takes 32 elements of a row.
model::Prediction row_by_row(std::int64_t rows, std::int64_t columns) {
  model::Prediction prediction;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t first = 0; first < columns; first += model::warp_size) {
      prediction.global_load(1, 4, [&](int lane) -> model::Element {
        if (first + lane >= columns) return {};
        return row * columns + first + lane;
      });
    }
  }
  return prediction;
}
// [rows]
}  // namespace

void weft::register_steps() { add_matrices("flat-matrix", Axes(block), launch, predict); }

TEST_CASE("in seven of eight rows a warp begins inside a sector, and touches five") {
  constexpr std::int64_t whole_warps = 1001 / model::warp_size;
  constexpr std::int64_t aligned_row = 4 * whole_warps + 2;  // nine floats are left, in two sectors
  constexpr std::int64_t other_row = 5 * whole_warps + 2;
  const model::Metrics predicted = row_by_row(1000, 1001);
  CHECK(predicted[model::Metric::global_load_sectors] == 125 * aligned_row + 875 * other_row);
}

TEST_CASE("as a vector, every warp touches four sectors") {
  const model::Metrics flat = predict(1000, 1024);
  CHECK(flat[model::Metric::global_load_sectors] == 4 * flat[model::Metric::global_load_requests]);
  with_counts({1024, 1024}, [](const model::Metrics& counted) {
    CHECK(counted[model::Metric::global_load_sectors] == 4 * counted[model::Metric::global_load_requests]);
  });
}
