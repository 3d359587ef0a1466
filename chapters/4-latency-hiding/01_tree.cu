// A tree of neighbours: two floats side by side are added up first, then pairs two apart, four, eight.
#include "passes.hpp"

namespace {
// [kernel]
/// @param sums takes the sum of each block's floats
__global__ void tree(const float* __restrict__ in, std::int64_t count, float* __restrict__ sums) {
  __shared__ float parts[block.x];
  const std::int64_t index = std::int64_t{blockIdx.x} * block.x + threadIdx.x;
  parts[threadIdx.x] = index < count ? in[index] : 0;
#pragma unroll 1
  for (unsigned apart = 1; apart < block.x; apart *= 2) {
    __syncthreads();
    if (threadIdx.x % (2 * apart) == 0) parts[threadIdx.x] += parts[threadIdx.x + apart];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = parts[0];
}
// [kernel]
}  // namespace

void weft::register_steps() { add(sum_in_passes("tree", tree, predict_neighbours)); }
