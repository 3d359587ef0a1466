// The first add without const and __restrict__: the compiler must expect that c overlaps a or b.
#include "problem.hpp"

namespace {
constexpr dim3 block{256};

// [kernel]
__global__ void add_may_alias(const float* a, const float* b, float* c, std::int64_t count) {
  const std::int64_t index = thread_index();
  if (index < count) c[index] = a[index] + b[index];
}
// [kernel]

// [launch]
void launch(cudaStream_t stream, Vectors v) {
  add_may_alias<<<grid_for(v.count, block), block, 0, stream>>>(v.a, v.b, v.c, v.count);
}
// [launch]

model::Prediction predict(std::int64_t count) {
  const std::int64_t warps = count / model::warp_size;
  return model::Prediction{}
      .global_load(2 * warps, 4, [](int lane) { return lane; })
      .global_store(warps, 4, [](int lane) { return lane; });
}
}  // namespace

void weft::register_steps() { add_vectors("may-alias", block, launch, predict); }

// [instruction]
TEST_CASE("without __restrict__ the loads are plain") {
  CHECK(ptx_count("add_may_alias", "ld.global.") == 2);
  CHECK(ptx_count("add_may_alias", "ld.global.nc.") == 0);
}
// [instruction]
