#pragma once

/// @file
/// Stream-K: the division of all tiles' iterations among blocks, and how blocks that share a tile meet.

#include "hopper.hpp"

namespace weft::hopper {

// [work]
/// A piece of a block's work: some iterations of a tile, here called steps.
struct Segment {
  int tile = 0;
  int first_step = 0, end_step = 0;
};

/// What a block does. Tiles that fill whole waves of blocks are computed whole, one block each. The others,
/// one wave and what is left over, come first: the sequence of their steps is cut into as many equal parts
/// as there are blocks.
class Work {
 public:
  __device__ Work(int tiles, int steps)
      : tiles_(tiles),
        steps_(steps),
        shared_tiles_(shared_tiles(tiles)),
        at_(begin_of(blockIdx.x)),
        end_(begin_of(blockIdx.x + 1)),
        whole_(shared_tiles_ + static_cast<int>(blockIdx.x)) {}

  /// The next piece; false if there is none.
  __device__ bool next(Segment& segment) {
    if (at_ < end_) {
      segment.tile = static_cast<int>(at_ / steps_);
      segment.first_step = static_cast<int>(at_ % steps_);
      segment.end_step = static_cast<int>(min(std::int64_t{steps_}, segment.first_step + end_ - at_));
      at_ += segment.end_step - segment.first_step;
      return true;
    }
    if (whole_ >= tiles_) return false;
    segment = {whole_, 0, steps_};
    whole_ += static_cast<int>(gridDim.x);
    return true;
  }

  /// Where a block's part of the shared steps begins.
  [[nodiscard]] __device__ std::int64_t begin_of(unsigned block) const {
    return std::int64_t{shared_tiles_} * steps_ * block / gridDim.x;
  }

  /// The block that has a shared step.
  [[nodiscard]] __device__ unsigned block_of(std::int64_t step) const {
    return static_cast<unsigned>(((step + 1) * gridDim.x - 1) / (std::int64_t{shared_tiles_} * steps_));
  }

 private:
  [[nodiscard]] __host__ __device__ static int shared_tiles(int tiles) {
    const int blocks = static_cast<int>(gridDim.x);
    if (tiles % blocks == 0) return 0;
    const int waves = tiles / blocks;
    return waves == 0 ? tiles : tiles - (waves - 1) * blocks;
  }

  int tiles_, steps_, shared_tiles_;
  std::int64_t at_, end_;
  int whole_;
};
// [work]

// [for-all-lanes]
/// Returns what is the same in all lanes, so that the compiler knows that it is.
__device__ inline int for_all_lanes(int value) { return __reduce_max_sync(~0U, value); }
__device__ inline bool for_all_lanes(bool condition) { return __any_sync(~0U, static_cast<int>(condition)); }
// [for-all-lanes]

// [hand]
/// One for each block: the sums that it hands over, and whether they are there.
inline constexpr int most_blocks = 144;
inline constexpr int fours_of_thread = thread_rows * thread_columns / 4;
using HandedSums = float4[fours_of_thread][threads];  ///< of one block
static __device__ unsigned handed[most_blocks];       ///< 1: there

/// Reads what another block has written there. What that block wrote before can be read after this.
__device__ inline unsigned load_acquire(const unsigned* from) {
  unsigned value = 0;  // NOLINT(misc-const-correctness): the instruction writes it
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}

/// Writes the sums where another block finds them, and makes them visible to it.
/// @param one 1, which the compiler does not know: so it stores new numbers, and may keep each sum in the
///        register that suits the multiplying, instead of fours side by side
__device__ inline void hand_to(HandedSums& place, const Sums& sums, float one) {
#pragma unroll
  for (int i = 0; i < thread_rows; ++i) {
#pragma unroll
    for (int j = 0; j < thread_columns; j += 4) {
      place[(i * thread_columns + j) / 4][threadIdx.x] = {one * sums[i][j], one * sums[i][j + 1],
                                                          one * sums[i][j + 2], one * sums[i][j + 3]};
    }
  }
  __threadfence();
  meet();
}

/// Hands the sums to the block that began the tile.
__device__ inline void hand_over(const Sums& sums, HandedSums* all, float one) {
  hand_to(all[blockIdx.x], sums, one);
  if (threadIdx.x == 0) {
    asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(&handed[blockIdx.x]) : "memory");
  }
}

/// Adds what another block hands over, and leaves the place as it was found.
__device__ inline void take_over(Sums& sums, const HandedSums* all, unsigned block) {
  if (threadIdx.x == 0) {
    while (load_acquire(&handed[block]) == 0) {
    }
    handed[block] = 0;
  }
  meet();
#pragma unroll
  for (int i = 0; i < thread_rows; ++i) {
#pragma unroll
    for (int j = 0; j < thread_columns; j += 4) {
      const float4 other = __ldcg(&all[block][(i * thread_columns + j) / 4][threadIdx.x]);
      sums[i][j] += other.x;
      sums[i][j + 1] += other.y;
      sums[i][j + 2] += other.z;
      sums[i][j + 3] += other.w;
    }
  }
}
// [hand]

// [blocks]
/// As many blocks as multiprocessors, each with some steps of its own, and no more than can hand over.
inline int blocks_for(const Sgemm& p) {
  constexpr std::int64_t least_steps = 4;
  const std::int64_t steps = std::int64_t{TileOrder(p.m, p.n).count()} * blocks_over(p.k, tile_depth);
  const std::int64_t most = min(multiprocessors(), most_blocks);
  return static_cast<int>(min(max(steps / least_steps, std::int64_t{1}), most));
}
// [blocks]

}  // namespace weft::hopper
