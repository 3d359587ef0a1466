#pragma once

/// @file
/// The walk of the steps whose ring lies behind the L1.

#include "latency.hpp"

// [walk]
static __global__ void walk_past_l1(const Link* first, Link* end, std::int64_t steps) {
  auto at = reinterpret_cast<unsigned long long>(first);
#pragma unroll 4
  for (std::int64_t step = 0; step < steps; ++step) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a link is an address
    at = __ldcg(reinterpret_cast<const unsigned long long*>(at));
  }
  end->next = at;
}

inline void launch_past_l1(cudaStream_t stream, const Link* first, Link* end, std::int64_t steps) {
  walk_past_l1<<<1, 1, 0, stream>>>(first, end, steps);
}
// [walk]
