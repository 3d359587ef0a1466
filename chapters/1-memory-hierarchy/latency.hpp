#pragma once

/// @file
/// What the steps that measure a latency have in common: a single thread goes from link to link of a ring,
/// each of which is the address of the next.

#include "problem.hpp"

namespace weft {

/// An element of the ring.
struct Link {
  unsigned long long next;  ///< an address, as the loads take and give it that name a cache
};

inline constexpr std::int64_t links_of_line = model::line_bytes / static_cast<std::int64_t>(sizeof(Link));

/// Queues a kernel of one thread, which goes so many links from the first.
using LaunchWalk = void (*)(cudaStream_t stream, const Link* first, Link* end, std::int64_t steps);

/// A roof that is rated by its loads, of which one waits for the other. Its shape is their number.
/// @param lines of the ring; there is one link in each, and the next lies `apart` lines further
/// @param loads that are timed
Variant latency_roof(const char* name, std::int64_t lines, std::int64_t apart, std::int64_t loads,
                     LaunchWalk launch);

/// What each block has written behind the number of its multiprocessor, in the order of these numbers. Those
/// of all blocks stand before the rest.
Numbers by_multiprocessor(Problem& problem);
Numbers by_multiprocessor(const Numbers& numbers);

/// So many in a hundred of these values are no more.
double percentile(Numbers values, int percent);

}  // namespace weft
