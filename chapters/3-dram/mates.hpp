#pragma once

/// @file
/// Lines that are in conflict with one and the same line: what the steps have in common that look for some.

#include "past_l2.hpp"

namespace weft {

inline constexpr int most_mates = 16;
inline constexpr int mate_rounds = 24;

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

// [mates]
/// Cycles that the loads of two lines take together beyond the slower of them alone. It stops as soon as a
/// round shows that there is no conflict: then the result is below `conflict`, and not the least of all.
/// @param first cycles of the first line alone
__device__ inline int extra_of_pair(const std::uint32_t* mine, int lane, unsigned first, int conflict) {
  constexpr unsigned both = 3;
  unsigned second = least_past_l2(mine, lane == 1, both, 4);
  unsigned together = no_time;
  const auto extra = [&] { return static_cast<int>(together) - static_cast<int>(max(first, second)); };
  for (int round = 0; round < mate_rounds && (round == 0 || extra() >= conflict); ++round) {
    together = min(together, cycles_past_l2(mine, true, both));
  }
  if (extra() >= conflict) second = min(second, least_past_l2(mine, lane == 1, both, mate_rounds));
  return extra();
}

/// Looks for mates of a block's first candidate.
/// @param lane 0 or 1 of two
/// @param mates takes the first candidate and then its mates, 16 at most
/// @return how many it has taken
__device__ inline int find_mates(const std::uint32_t* lines, const Candidates& candidates, int lane,
                                 std::int64_t* mates) {
  int found = 1;
  mates[0] = candidates.line(blockIdx.x, gridDim.x, 0);
  const std::int64_t count = candidates.count(blockIdx.x, gridDim.x);
  const unsigned alone = least_past_l2(lines + mates[0] * words_of_line, lane == 0, 3, mate_rounds);
  for (std::int64_t candidate = 1; candidate < count && found < most_mates; ++candidate) {
    const std::int64_t line = candidates.line(blockIdx.x, gridDim.x, candidate);
    const std::uint32_t* const mine = lines + (lane == 0 ? mates[0] : line) * words_of_line;
    if (extra_of_pair(mine, lane, alone, candidates.conflict) >= candidates.conflict) mates[found++] = line;
  }
  __syncwarp(3);
  return found;
}

/// Writes all candidates again.
__device__ inline void write_candidates(std::uint32_t* lines, const Candidates& candidates) {
  const std::int64_t count = candidates.count(blockIdx.x, gridDim.x);
  for (std::int64_t candidate = threadIdx.x; candidate < count; candidate += blockDim.x) {
    write_line(lines, candidates.line(blockIdx.x, gridDim.x, candidate));
  }
}
// [mates]

}  // namespace weft
