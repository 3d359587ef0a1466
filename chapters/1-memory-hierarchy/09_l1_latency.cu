// A thread follows a ring through 32 lines, which the L1 keeps.
#include "latency.hpp"

namespace {
// [kernel]
__global__ void walk(const Link* first, Link* end, std::int64_t steps) {
  auto at = reinterpret_cast<unsigned long long>(first);
#pragma unroll 4
  for (std::int64_t step = 0; step < steps; ++step) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a link is an address
    at = __ldca(reinterpret_cast<const unsigned long long*>(at));
  }
  end->next = at;
}
// [kernel]

void launch(cudaStream_t stream, const Link* first, Link* end, std::int64_t steps) {
  walk<<<1, 1, 0, stream>>>(first, end, steps);
}
}  // namespace

void weft::register_steps() { add(latency_roof("l1-latency", 32, 1, std::int64_t{1} << 18, launch)); }
