#pragma once

/// @file
/// The walk round a ring, with a clock.

#include "ring.hpp"

namespace weft {

/// The caches that a load asks before the DRAM.
enum class Through : std::uint8_t { l1_and_l2, l2 };

// [walk]
/// A thread goes from link to link; the clock is read again after the `lead`, the links that are not timed.
template <Through through>
static __global__ void walk_ring(Link* walkers, Walk walk, std::int64_t* cycles) {
  auto at = walkers[blockIdx.x].next;
  std::int64_t began = 0;
#pragma unroll 1
  for (int part = 0; part < 2; ++part) {
    began = clock64();
#pragma unroll 4
    for (std::int64_t step = 0; step < (part == 0 ? walk.lead : walk.timed); ++step) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): a link is an address
      const auto* link = reinterpret_cast<const unsigned long long*>(at);
      at = through == Through::l2 ? __ldcg(link) : __ldca(link);
    }
  }
  cycles[blockIdx.x] = (at == 0 ? 0 : clock64()) - began;  // not before the last load has come
  walkers[blockIdx.x].next = at;
}
// [walk]

template <Through through>
void launch_walk(cudaStream_t stream, unsigned walkers, Link* at, Walk walk, std::int64_t* cycles) {
  walk_ring<through><<<walkers, 1, 0, stream>>>(at, walk, cycles);
}

}  // namespace weft
