#pragma once

/// @file
/// Lines that are in conflict with one and the same line: what the steps have in common that look for some.

#include "past_l2.hpp"

namespace weft {

inline constexpr int most_mates = 16;

/// The lines among which a block looks for mates of one of them: no line is tried by two blocks.
class Candidates {
 public:
  /// @param conflict the extra cycles from which on two lines are mates; a test takes all for mates
  explicit Candidates(std::int64_t lines, int conflict = conflict_cycles)
      : conflict(conflict), order_(lines), lines_(lines) {}

  int conflict;

  /// How many there are for a block; the first is the one whose mates are looked for.
  [[nodiscard]] __host__ __device__ std::int64_t count(std::int64_t block, std::int64_t blocks) const {
    return (lines_ - block + blocks - 1) / blocks;
  }

  [[nodiscard]] __host__ __device__ std::int64_t line(std::int64_t block, std::int64_t blocks,
                                                      std::int64_t candidate) const {
    return order_(block + blocks * candidate);
  }

 private:
  Permutation order_;
  std::int64_t lines_;
};

/// A set: how many lines it has, and the lines.
inline constexpr std::int64_t numbers_of_set = 1 + most_mates;

// [mates]
/// Looks for mates of a block's first candidate: lines that are in conflict with it two times. A block has
/// two threads and no others: beside threads that wait elsewhere, its two loads would not begin together.
/// @param sets takes of each block how many lines it has, the first candidate and then its mates
__global__ inline void find_mates(const std::uint32_t* lines, Candidates candidates, std::int64_t* sets) {
  const int lane = threadIdx.x;
  std::int64_t* const set = sets + blockIdx.x * numbers_of_set;
  const std::int64_t first = candidates.line(blockIdx.x, gridDim.x, 0);
  const std::int64_t count = candidates.count(blockIdx.x, gridDim.x);
  int found = 1;
  for (std::int64_t candidate = 1; candidate < count && found < most_mates; ++candidate) {
    const std::int64_t line = candidates.line(blockIdx.x, gridDim.x, candidate);
    const std::uint32_t* const mine = lines + (lane == 0 ? first : line) * words_of_line;
    int times = 0;
    while (times < 2 && extra_past_l2(mine, lane, candidates.conflict) >= candidates.conflict) ++times;
    if (times < 2) continue;
    ++found;
    if (lane == 0) set[found] = line;
  }
  if (lane == 0) {
    set[0] = found;
    set[1] = first;
  }
}

/// Writes all candidates again.
__global__ inline void write_candidates(std::uint32_t* lines, Candidates candidates) {
  const std::int64_t count = candidates.count(blockIdx.x, gridDim.x);
  for (std::int64_t candidate = threadIdx.x; candidate < count; candidate += blockDim.x) {
    write_line(lines, candidates.line(blockIdx.x, gridDim.x, candidate));
  }
}
// [mates]

}  // namespace weft
