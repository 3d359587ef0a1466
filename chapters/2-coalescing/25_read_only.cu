// The same add with __ldg: it promises for each load what const and __restrict__ promise for a pointer.
#include "problem.hpp"

namespace {
constexpr dim3 block{256};

// [kernel]
__global__ void add_read_only(const float* a, const float* b, float* c, std::int64_t count) {
  const std::int64_t index = thread_index();
  if (index < count) c[index] = __ldg(&a[index]) + __ldg(&b[index]);
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Vectors v) {
  add_read_only<<<grid_for(v.count, block), block, 0, stream>>>(v.a, v.b, v.c, v.count);
}
// [launch]

model::Prediction predict(std::int64_t count) {
  const std::int64_t warps = count / model::warp_size;
  return model::Prediction{}
      .global_load(2 * warps, 4, [](int lane) { return lane; })
      .global_store(warps, 4, [](int lane) { return lane; });
}
}  // namespace

void weft::register_steps() { add_vectors("read-only", block, launch, predict); }

// [instruction]
TEST_CASE("with __ldg each load is one of read-only data") {
  CHECK(ptx_count("add_read_only", "ld.global.") == 2);
  CHECK(ptx_count("add_read_only", "ld.global.nc.") == 2);
}
// [instruction]
