// The float4 add with one block of 256 threads a multiprocessor, each of which has several float4s in flight.
//
// Exercise: One block of 256 threads on each multiprocessor adds the vectors in a loop. How many float4s of
// each vector must a thread load before its first addition, to have as many bytes in flight as the float4
// add?
#include "device/attribute.hpp"
#include "problem.hpp"

namespace {
constexpr dim3 block{256};
constexpr int width = 4;  // elements of a float4

// [kernel]
template <int fours>
__global__ void add_few_threads(const float* __restrict__ a, const float* __restrict__ b,
                                float* __restrict__ c, std::int64_t count) {
  const std::int64_t whole = count / width;
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t first = thread_index(); first < whole; first += fours * threads) {
    float4 x[fours];
    float4 y[fours];
#pragma unroll
    for (int i = 0; i < fours; ++i) {
      const std::int64_t index = first + i * threads;
      if (index >= whole) continue;
      x[i] = reinterpret_cast<const float4*>(a)[index];
      y[i] = reinterpret_cast<const float4*>(b)[index];
    }
#pragma unroll
    for (int i = 0; i < fours; ++i) {
      const std::int64_t index = first + i * threads;
      if (index >= whole) continue;
      reinterpret_cast<float4*>(c)[index] = {x[i].x + y[i].x, x[i].y + y[i].y, x[i].z + y[i].z,
                                             x[i].w + y[i].w};
    }
  }
  const std::int64_t last = whole * width + thread_index();  // the last one, two or three elements
  if (last < count) c[last] = a[last] + b[last];
}
// [kernel]

template <int fours>
void launch_fours(cudaStream_t stream, Vectors v) {
  add_few_threads<fours><<<multiprocessors(), block, 0, stream>>>(v.a, v.b, v.c, v.count);
}

void launch(cudaStream_t stream, Vectors v, int fours) {
  require_aligned(v, sizeof(float4));
  if (fours == 1) launch_fours<1>(stream, v);
  if (fours == 2) launch_fours<2>(stream, v);
  if (fours == 4) launch_fours<4>(stream, v);
  if (fours == 8) launch_fours<8>(stream, v);
}

model::Prediction predict(std::int64_t count) {
  const std::int64_t warps = count / width / model::warp_size;
  return model::Prediction{}
      .global_load(2 * warps, 16, [](int lane) { return lane; })
      .global_store(warps, 16, [](int lane) { return lane; });
}

// [in-flight]
/// Bytes that one multiprocessor's threads ask for before they wait.
constexpr std::int64_t bytes_in_flight(std::int64_t threads, int fours) {
  constexpr int vectors = 2;
  return threads * fours * vectors * std::int64_t{sizeof(float4)};
}
// [in-flight]
}  // namespace

void weft::register_steps() {
  add_vectors("few-threads", Axes(block).with("fours", {1, 2, 4, 8}), launch, predict,
              {.measured = {timed_size}, .counted = {counted_size}});
}

TEST_CASE("eight float4s make up for an eighth of the threads") {
  constexpr std::int64_t most_threads = 2048;
  CHECK(bytes_in_flight(block.x, 8) == bytes_in_flight(most_threads, 1));
}

TEST_CASE("the emulator counts what is predicted, however many float4s a thread has") {
  for (const std::int64_t fours : {1, 2, 4, 8}) {
    const auto claim = [](const model::Metrics& counted) {
      const model::Metrics predicted = predict(1 << 20);
      for (const auto& [metric, value] : predicted) CHECK(counted[metric] == value);
    };
    with_counts({1 << 20}, claim, {{"block", {block.x}}, {"fours", {fours}}});
  }
}
