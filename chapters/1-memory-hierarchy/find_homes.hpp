#pragma once

/// @file
/// How the homes of lines are found out: by atomics, which are done there.

#include "homes.hpp"
#include "visits.hpp"

namespace weft {

/// Where a multiprocessor stands among those that are near to the same half.
struct Seat {
  unsigned half, number, count;
};

/// The emulator has no multiprocessors: there each block counts as one.
__device__ inline unsigned seat_number() {
  // NOLINTNEXTLINE(cppcoreguidelines-init-variables)
  unsigned all;
  asm("mov.u32 %0, %%nsmid;" : "=r"(all));
  return (all == 1 ? blockIdx.x : multiprocessor()) % most_seats;
}

/// If no multiprocessor is near to one of the halves, as on the emulator, every second one counts as near.
__device__ inline Seat seat_of_block(const Homes& homes) {
  const uint2 found = homes.seats[seat_number()];
  const uint2 counts = *reinterpret_cast<const uint2*>(homes.counts);
  if (counts.x > 0 && counts.y > 0) return {found.x, found.y, found.x == 0 ? counts.x : counts.y};
  const unsigned half = found.y % 2;
  return {half, found.y / 2, (counts.x + counts.y + 1 - half) / 2};
}

/// The cycles of an atomic that leaves a word as it is, with those of reading the clock; of several the
/// fewest.
template <int visits>
__device__ unsigned fewest_cycles(std::uint32_t* word) {
  unsigned fewest = ~0U;
#pragma unroll 1
  for (int visit = 0; visit < visits; ++visit) {
    const clock_t before = clock();
    std::uint32_t found = 0;
    asm volatile("atom.global.or.b32 %0, [%1], 0;" : "=r"(found) : "l"(word) : "memory");
    if (found == ~0U) return 0;  // no word is: so the clock is not read again before the word has come
    fewest = min(fewest, static_cast<unsigned>(clock() - before));
  }
  return fewest;
}

/// A thread on each multiprocessor finds out which pieces of the first tile are near to it, and thereby which
/// half it is near to itself, and then the homes of the pieces of some tiles.
static __global__ void find_homes(uint4* vectors, std::uint32_t tiles, Homes homes) {
  const auto first_of_pair = [=](std::uint32_t tile, unsigned pair) {
    return reinterpret_cast<std::uint32_t*>(vectors + tile * vectors_of_tile +
                                            std::int64_t{pair} * 2 * piece_vectors);
  };
  const auto seat = seat_number();
  unsigned all = 0;
  for (unsigned pair = 0; pair < pairs_of_tile; ++pair) {  // not all of them at one pair at a time
    all += fewest_cycles<8>(first_of_pair(0, (pair + seat) % pairs_of_tile));
  }
  const unsigned middle = all / pairs_of_tile;
  const unsigned half = fewest_cycles<8>(first_of_pair(0, 0)) < middle ? 0 : 1;
  for (std::uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    std::uint32_t near = 0;
    for (unsigned pair = 0; pair < pairs_of_tile; ++pair) {
      if (fewest_cycles<4>(first_of_pair(tile, pair)) < middle) near |= 1U << pair;
    }
    homes.first[tile] = half == 0 ? near : ~near;
  }
  homes.seats[seat] = {half, atomicAdd(&homes.counts[half], 1U)};
}

/// Queues what finds out the homes, before the first launch alone.
inline void find(cudaStream_t stream, HomesProblem& problem, void* array) {
  if (!problem.unknown()) return;
  const Homes homes = problem.homes();
  cuda_check(cudaMemsetAsync(homes.counts, 0, sizeof(uint2), stream));
  find_homes<<<static_cast<unsigned>(multiprocessors()), 1, 0, stream>>>(static_cast<uint4*>(array),
                                                                         problem.tiles(), homes);
}

}  // namespace weft
