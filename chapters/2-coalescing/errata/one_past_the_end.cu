// Source 000's add2 adds 1 to the number of its thread, and tests nothing: the last thread has no element.
#include <doctest/doctest.h>

#include "vectors.hpp"

namespace {
using weft::errata::Guarded;
constexpr int block = 256;

// [source]
__global__ void source_add2(const float* a, const float* b, float* c) {
  const int global_tid = blockIdx.x * blockDim.x + threadIdx.x + 1;
  c[global_tid] = a[global_tid] + b[global_tid];
}
// [source]

// [repaired]
__global__ void repaired_add2(const float* a, const float* b, float* c, std::int64_t count) {
  const std::int64_t index = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x + 1;
  if (index < count) c[index] = a[index] + b[index];
}
// [repaired]
}  // namespace

TEST_SUITE("device") {
  TEST_CASE("source 000: a grid of as many threads as elements writes one element past the end") {
    Guarded v(1024);
    source_add2<<<4, block>>>(v.a.data(), v.b.data(), v.c.data());
    CHECK(weft::errata::past_the_end(v.wrong(1)));
  }

  TEST_CASE("repaired: every element but the first is a sum, and nothing else is written") {
    for (const int count : {1, 2, 255, 256, 257, 1000, 1024}) {
      Guarded v(count);
      repaired_add2<<<4, block>>>(v.a.data(), v.b.data(), v.c.data(), count);
      CHECK_FALSE(v.wrong(1));
    }
  }
}

void weft::register_steps() { tests_alone(); }
