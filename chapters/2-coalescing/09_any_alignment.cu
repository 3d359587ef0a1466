// Vectors that begin anywhere: single elements up to the first whole float4, and again after the last.
#include "problem.hpp"

namespace {
constexpr dim3 block{256};
constexpr int width = 4;  // elements of a float4

// [kernel]
__global__ void add_any_alignment(const float* __restrict__ a, const float* __restrict__ b,
                                  float* __restrict__ c, std::int64_t count, int head) {
  const std::int64_t whole = (count - head) / width;
  const std::int64_t index = thread_index();
  if (index < whole) {
    const float4 x = reinterpret_cast<const float4*>(a + head)[index];
    const float4 y = reinterpret_cast<const float4*>(b + head)[index];
    reinterpret_cast<float4*>(c + head)[index] = {x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w};
  } else if (index < count - whole * (width - 1)) {  // first the head, then the tail
    const std::int64_t single = index - whole;
    const std::int64_t place = single < head ? single : single + whole * width;
    c[place] = a[place] + b[place];
  }
}

__global__ void add_single_elements(const float* __restrict__ a, const float* __restrict__ b,
                                    float* __restrict__ c, std::int64_t count) {
  const std::int64_t index = thread_index();
  if (index < count) c[index] = a[index] + b[index];
}
// [kernel]

// [launch]
/// Elements by which an address lies beyond a multiple of 16 bytes.
int phase(const float* address) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(address) / sizeof(float) % width);
}

void launch(cudaStream_t stream, Vectors v) {
  if (phase(v.a) != phase(v.c) || phase(v.b) != phase(v.c)) {  // no head makes all three whole
    add_single_elements<<<grid_for(v.count, block), block, 0, stream>>>(v.a, v.b, v.c, v.count);
    return;
  }
  const int head = static_cast<int>(std::min<std::int64_t>((width - phase(v.c)) % width, v.count));
  const std::int64_t threads = v.count - (v.count - head) / width * (width - 1);
  add_any_alignment<<<grid_for(threads, block), block, 0, stream>>>(v.a, v.b, v.c, v.count, head);
}
// [launch]

// [step]
const Misaligned step{
    "any-alignment",
    {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}, {1, 2, 3}},
    block,
    launch};
// [step]
}  // namespace
