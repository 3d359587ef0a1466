// Thrust's transform, as most programs call it.
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/transform.h>

#include "problem.hpp"

namespace {
// [launch]
void launch(cudaStream_t stream, Vectors v) {
  thrust::transform(thrust::cuda::par_nosync.on(stream), v.a, v.a + v.count, v.b, v.c, thrust::plus<float>{});
}
// [launch]
}  // namespace

// [step]
void weft::register_steps() { add_vectors("thrust-transform", {}, launch, {}, {.kind = Kind::peer}); }
// [step]
