// Source 002's float4 kernel tests whether the first of four elements exists, and then writes all four.
#include <doctest/doctest.h>

#include "vectors.hpp"

namespace {
using weft::errata::Guarded;
constexpr int block = 64;

__device__ float4 sum(float4 x, float4 y) { return {x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w}; }

// [source]
__global__ void source_add_f32x4(const float* a, const float* b, float* c, int count) {
  const int index = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (index < count) {
    *reinterpret_cast<float4*>(&c[index]) =
        sum(*reinterpret_cast<const float4*>(&a[index]), *reinterpret_cast<const float4*>(&b[index]));
  }
}
// [source]

// [repaired]
__global__ void repaired_add_f32x4(const float* a, const float* b, float* c, std::int64_t count) {
  const std::int64_t index = 4 * (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x);
  if (index + 3 < count) {
    *reinterpret_cast<float4*>(&c[index]) =
        sum(*reinterpret_cast<const float4*>(&a[index]), *reinterpret_cast<const float4*>(&b[index]));
  } else {
    for (std::int64_t last = index; last < count; ++last) c[last] = a[last] + b[last];
  }
}
// [repaired]

constexpr int grid_for(int count) { return (count + 4 * block - 1) / (4 * block); }
}  // namespace

TEST_SUITE("device") {
  TEST_CASE("source 002: right where four divides the number of elements, as it does 2048 × 4096") {
    Guarded v(1024);
    source_add_f32x4<<<grid_for(1024), block>>>(v.a.data(), v.b.data(), v.c.data(), 1024);
    CHECK_FALSE(v.wrong());
  }

  TEST_CASE("source 002: elsewhere it writes past the end") {
    for (const int count : {1, 2, 3, 1021, 1022, 1023}) {
      Guarded v(count);
      source_add_f32x4<<<grid_for(count), block>>>(v.a.data(), v.b.data(), v.c.data(), count);
      CHECK(weft::errata::past_the_end(v.wrong()));
    }
  }

  TEST_CASE("repaired: the last one, two or three elements are added one by one") {
    for (const int count : {1, 2, 3, 4, 5, 1021, 1022, 1023, 1024}) {
      Guarded v(count);
      repaired_add_f32x4<<<grid_for(count), block>>>(v.a.data(), v.b.data(), v.c.data(), count);
      CHECK_FALSE(v.wrong());
    }
  }
}

void weft::register_steps() { tests_alone(); }
