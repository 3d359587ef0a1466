// Loads of sixteen bytes and stores of four, where a and b begin on a sector and c one float behind one.
//
// Exercise: No float4 can be stored there. How many sectors do four stores of a float each touch, if a thread
// stores the four elements that it has loaded? Find a kernel whose stores touch five sectors each.
#include "problem.hpp"

namespace {
constexpr int threads = 256;
constexpr dim3 block{threads};
constexpr int width = 4;  // elements of a float4

// [kernel]
__global__ void add_odd_output(const float* __restrict__ a, const float* __restrict__ b,
                               float* __restrict__ c, std::int64_t count) {
  __shared__ alignas(16) float sums[width * threads];
  const std::int64_t first = std::int64_t{blockIdx.x} * width * threads;
  const std::int64_t x = threadIdx.x;
  if (first + width * x + width <= count) {
    const float4 p = *reinterpret_cast<const float4*>(&a[first + width * x]);
    const float4 q = *reinterpret_cast<const float4*>(&b[first + width * x]);
    *reinterpret_cast<float4*>(&sums[width * x]) = {p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w};
  } else {  // the last one, two or three elements
    for (std::int64_t i = first + width * x; i < count; ++i) sums[i - first] = a[i] + b[i];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < width; ++i) {
    const std::int64_t place = std::int64_t{i} * threads + x;
    if (first + place < count) c[first + place] = sums[place];
  }
}
// [kernel]

void launch(cudaStream_t stream, Vectors v) {
  add_odd_output<<<grid_for(blocks_over(v.count, width), block), block, 0, stream>>>(v.a, v.b, v.c, v.count);
}

// [predict]
model::Prediction predict(std::int64_t count) {
  const std::int64_t warps = count / width / model::warp_size;
  return model::Prediction{}
      .global_load(2 * warps, 16, [](int lane) { return lane; })
      .shared_store(warps, 16, [](int lane) { return lane; })
      .shared_load(width * warps, 4, [](int lane) { return lane; })
      .global_store(width * warps, 4, [](int lane) { return lane + 1; });
}
// [predict]
}  // namespace

void weft::register_steps() {
  const auto selection = [](const Setting&) { return Selection{.shift = {0, 0, 1}}; };
  add_vectors("odd-output", block, launch, predict,
              {.selection = selection, .curve = true, .measured = {timed_size}, .counted = {counted_size}});
}

TEST_CASE("four stores by the threads that loaded touch 65 sectors, four stores of neighbours 20") {
  const auto own = [](int element) {
    return model::sectors({4, [=](int lane) { return width * lane + 1 + element; }});
  };
  CHECK(own(0) + own(1) + own(2) + own(3) == 65);
  CHECK(width * model::sectors({4, [](int lane) { return lane + 1; }}) == 20);
}

TEST_CASE("the emulator counts five sectors a store, and no bank conflict on the way out") {
  with_counts({1 << 20}, [](const model::Metrics& counted) {
    CHECK(counted[model::Metric::global_store_sectors] == 5 * counted[model::Metric::global_store_requests]);
    CHECK(counted[model::Metric::shared_load_wavefronts] == counted[model::Metric::shared_load_requests]);
  });
}
