#pragma once

/// @file
/// An add with several elements a thread, so many of them at a time: the requests stay the same, the bytes in
/// flight do not.

#include <cuda_runtime.h>

#include <cstdint>

namespace weft {

/// Without __restrict__: c may lie over a or b, so that the compiler lets no load pass a store.
template <int elements, int together, typename T>
__global__ void add_by_turns(const T* a, const T* b, T* c, std::int64_t count) {
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x * elements + threadIdx.x;
#pragma unroll
  for (int turn = 0; turn < elements; turn += together) {
    T x[together];
    T y[together];
#pragma unroll
    for (int i = 0; i < together; ++i) {
      const std::int64_t index = first + std::int64_t{turn + i} * blockDim.x;
      if (index >= count) continue;
      x[i] = a[index];
      y[i] = b[index];
    }
#pragma unroll
    for (int i = 0; i < together; ++i) {
      const std::int64_t index = first + std::int64_t{turn + i} * blockDim.x;
      if (index < count) c[index] = static_cast<T>(x[i] + y[i]);
    }
  }
}

}  // namespace weft
