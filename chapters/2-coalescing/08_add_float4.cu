// Each thread adds sixteen bytes at once: a quarter of the requests, and four times the bytes on their way.
#include <stdexcept>
#include <string>

#include "problem.hpp"

namespace {
const List<dim3> blocks{{64}, {128}, {256}, {512}, {1024}};
constexpr int width = 4;  // elements of a float4

// [kernel]
__global__ void add_float4(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                           std::int64_t count) {
  const std::int64_t whole = count / width;
  const std::int64_t index = thread_index();
  if (index < whole) {
    const float4 x = reinterpret_cast<const float4*>(a)[index];
    const float4 y = reinterpret_cast<const float4*>(b)[index];
    reinterpret_cast<float4*>(c)[index] = {x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w};
  } else if (index < whole + count % width) {  // the last one, two or three elements
    const std::int64_t last = index + whole * (width - 1);
    c[last] = a[last] + b[last];
  }
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Vectors v, dim3 block) {
  require_aligned(v, sizeof(float4));
  const dim3 grid = grid_for(v.count / width + v.count % width, block);
  add_float4<<<grid, block, 0, stream>>>(v.a, v.b, v.c, v.count);
}
// [launch]

// [predict]
model::Prediction predict(std::int64_t count) {
  const std::int64_t warps = count / width / model::warp_size;
  return model::Prediction{}
      .global_load(2 * warps, 16, [](int lane) { return lane; })
      .global_store(warps, 16, [](int lane) { return lane; });
}
// [predict]
}  // namespace

// [step]
void weft::register_steps() { add_vectors("add-float4", blocks, launch, predict); }
// [step]

TEST_CASE("float4 moves the same sectors in a quarter of the requests") {
  constexpr std::int64_t count = 1 << 20;
  const model::Metrics predicted = predict(count);
  CHECK(predicted[model::Metric::global_load_requests] == 2 * count / model::warp_size / width);
  CHECK(predicted[model::Metric::global_load_sectors] * model::sector_bytes == 2 * count * sizeof(float));
}

// [refusal]
TEST_CASE("a vector that does not begin on 16 bytes is refused by name, before anything is launched") {
  alignas(16) float storage[8]{};
  float* const aligned = storage;
  for (const int bytes : {4, 8, 12}) {
    float* const misaligned = aligned + bytes / 4;
    const std::string beyond = "begins " + std::to_string(bytes) + " bytes beyond a multiple of 16";
    const auto refused = [&](Vectors v, const char* name) {
      CHECK_THROWS_WITH_AS(launch(nullptr, v, blocks.front()), doctest::Contains((name + beyond).c_str()),
                           std::invalid_argument);
    };
    refused({misaligned, aligned, aligned, 4}, "a ");
    refused({aligned, misaligned, aligned, 4}, "b ");
    refused({aligned, aligned, misaligned, 4}, "c ");
  }
}
// [refusal]
