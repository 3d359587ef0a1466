#pragma once

/// @file
/// The loops of the steps whose multiprocessors take pieces that are near to them, or far.

#include "find_homes.hpp"

namespace weft {

/// Which pieces a multiprocessor takes.
enum class Taken : std::uint8_t { near, far, mixed };

/// A bit for each pair of a tile: whether this one takes the first piece.
__device__ inline std::uint32_t takes_first(std::uint32_t first, const Seat& seat, Taken taken,
                                            std::uint32_t tile) {
  const std::uint32_t near = seat.half == 0 ? first : ~first;
  if (taken == Taken::near) return near;
  if (taken == Taken::far) return ~near;
  std::uint32_t by_chance = tile * 0x9E3779B9U + 0x7F4A7C15U;
  by_chance = (by_chance ^ (by_chance >> 16U)) * 0x85EBCA6BU;
  return near ^ by_chance ^ (by_chance >> 13U);
}

// [taken]
/// The multiprocessors that are near to one half take one piece of each pair, the others the other. For each
/// tile of this block: calls `take` with the place of this lane's first vector in its warp's piece.
template <typename Take>
__device__ void for_pieces(const Homes& homes, Taken taken, std::uint32_t tiles, std::uint32_t turns,
                           const Take& take) {
  const Seat seat = seat_of_block(homes);
  const std::uint32_t step = seat.count % tiles;
  std::uint32_t tile = seat.number % tiles;
  std::uint32_t first = homes.first[tile];
#pragma unroll 1
  for (std::uint32_t turn = seat.number; turn < turns; turn += seat.count) {
    const std::uint32_t mine = takes_first(first, seat, taken, tile);
    const std::int64_t begin = tile * vectors_of_tile;
    tile += step;
    if (tile >= tiles) tile -= tiles;
    first = homes.first[tile];  // of the next turn
    const unsigned warp = threadIdx.x / 32;
    const unsigned piece = 2 * warp + ((mine >> warp & 1U) != 0 ? 0 : 1);
    take(begin + piece * piece_vectors + threadIdx.x % 32);
  }
}
// [taken]

inline constexpr int requests_of_piece = static_cast<int>(piece_vectors / 32);

/// @param sums takes the sum of all words that a warp reads
/// @param cycles takes those of each block that has read
static __global__ __launch_bounds__(tile_block.x,
                                    1) void read_pieces(const uint4* __restrict__ in, Homes homes,
                                                        Taken taken, std::uint32_t tiles, std::uint32_t turns,
                                                        std::int64_t* sums, std::int64_t* cycles) {
  const std::int64_t began = clock64();
  std::uint32_t sum = 0;
  for_pieces(homes, taken, tiles, turns, [&](std::int64_t first) {
    uint4 found[requests_of_piece];
#pragma unroll
    for (int i = 0; i < requests_of_piece; ++i) found[i] = __ldcg(&in[first + std::int64_t{32} * i]);
#pragma unroll
    for (const uint4 one : found) sum += one.x + one.y + one.z + one.w;
  });
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(~0U, sum, apart);
  if (threadIdx.x % 32 == 0) sums[(std::int64_t{blockIdx.x} * tile_block.x + threadIdx.x) / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - began;
}

/// What `for_pieces` reads of the homes, for so many turns of either half. A block without a turn reads only
/// where it stands.
inline void predict_homes(model::Prediction& prediction, std::int64_t turns) {
  const auto same = [](int) { return 0; };
  const std::int64_t blocks = multiprocessors();
  const std::int64_t first_turns = min(blocks, 2 * turns);
  prediction.global_load(2 * blocks * pairs_of_tile, 8, same)
      .global_load((first_turns + 2 * turns) * pairs_of_tile, 4, same);
}

}  // namespace weft
