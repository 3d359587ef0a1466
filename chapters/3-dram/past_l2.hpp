#pragma once

/// @file
/// What the steps have in common that load single lines past the L2, and time it.

#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <cstdint>

#include "check/arrays.hpp"
#include "device/attribute.hpp"
#include "kernel/permutation.hpp"
#include "large_memory.hpp"
#include "model/access.hpp"
#include "step/axes.hpp"
#include "step/step.hpp"

namespace weft {

inline constexpr std::int64_t words_of_line = model::line_bytes / 4;

/// A round that counts for nothing; no word of the lines that the steps write.
inline constexpr unsigned no_time = ~0U;

// [past-l2]
/// The cycles until the loads of those lanes have come that `load`. The L2 is told to forget the lines
/// before, without writing them back: what a load finds is undefined. It is waited for, and not used.
/// @param line of each lane that takes part
/// @param lanes those that take part, among them lane 0, whose clock counts
__device__ inline unsigned cycles_past_l2(const std::uint32_t* line, bool load, unsigned lanes) {
  asm volatile("discard.global.L2 [%0], 128;" : : "l"(line) : "memory");
  __threadfence();
  __syncwarp(lanes);
  const clock_t began = clock();
  unsigned found = 0;
  if (load) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(found) : "l"(line) : "memory");
  found = __reduce_or_sync(lanes, found == no_time ? 1U : 0U);
  if (found != 0) return no_time;  // the clock is not read before all loads have come
  return __shfl_sync(lanes, static_cast<unsigned>(clock() - began), 0);  // lanes decide alike
}

/// The least of so many rounds: what else happens on the card makes a round longer.
__device__ inline unsigned least_past_l2(const std::uint32_t* line, bool load, unsigned lanes, int rounds) {
  unsigned least = no_time;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) least = min(least, cycles_past_l2(line, load, lanes));
  return least;
}

/// Writes a lane's line again: each word becomes its own number.
__device__ inline void write_line(std::uint32_t* lines, std::int64_t line) {
  for (std::int64_t word = line * words_of_line; word < (line + 1) * words_of_line; word += 4) {
    const auto first = static_cast<unsigned>(word);
    *reinterpret_cast<uint4*>(lines + word) = {first, first + 1, first + 2, first + 3};
  }
}
// [past-l2]

// [pair]
/// A pair is loaded in batches, the first line alone, the second alone, and both: what slows the card for a
/// while slows all three.
inline constexpr int pair_batches = 12;
inline constexpr int rounds_of_batch = 4;
inline constexpr int pair_rounds = pair_batches * rounds_of_batch;

/// Cycles that the loads of two lines take together beyond the slower of them alone.
/// @param mine the line of this lane, 0 or 1
/// @param enough it stops after a batch that shows less: then the result is less, and no least of all
__device__ inline int extra_past_l2(const std::uint32_t* mine, int lane, int enough) {
  constexpr unsigned both = 3;
  unsigned first = no_time;
  unsigned second = no_time;
  unsigned together = no_time;
  int extra = enough;
#pragma unroll 1
  for (int batch = 0; batch < pair_batches && extra >= enough; ++batch) {
    first = min(first, least_past_l2(mine, lane == 0, both, rounds_of_batch));
    second = min(second, least_past_l2(mine, lane == 1, both, rounds_of_batch));
    together = min(together, least_past_l2(mine, true, both, rounds_of_batch));
    extra = static_cast<int>(together) - static_cast<int>(max(first, second));
  }
  return extra;
}
// [pair]

/// Cycles of two loads beyond those of the slower one alone, from which on the loads are said to be in each
/// other's way. Two loads of any lines differ from one by 20 cycles at most, and conflicts begin at 60.
inline constexpr int conflict_cycles = 40;

/// Lines, of which a launch writes some. They begin at a page of 2 MiB, or, if they are less, at a multiple
/// of their size.
class WrittenLines : public ArrayProblem {
 public:
  /// @param bytes a power of two
  /// @param first the first line that is written, and @param count how many are
  WrittenLines(std::int64_t bytes, std::int64_t first, std::int64_t count)
      : page_(min(bytes, 2 * mebibyte)),
        words_(output<std::uint32_t>("lines", {(bytes + page_) / 4}, [=, this](auto, std::int64_t index) {
          const std::int64_t word = index - (data() - words_.data());
          const bool written = first * words_of_line <= word && word < (first + count) * words_of_line;
          return written ? static_cast<std::uint32_t>(word) : weft::poison<std::uint32_t>();
        })) {}

  /// All of them are written.
  explicit WrittenLines(std::int64_t bytes) : WrittenLines(bytes, 0, bytes / model::line_bytes) {}

  [[nodiscard]] std::uint32_t* data() const {
    const auto address = reinterpret_cast<std::uintptr_t>(words_.data());
    const auto page = static_cast<std::uintptr_t>(page_);
    return words_.data() + (page - address % page) % page / 4;
  }

 private:
  std::int64_t page_;
  GuardedBuffer<std::uint32_t>& words_;
};

/// The blocks of these steps: one on each multiprocessor, so that many lines are tried at the same time. They
/// ask for so little that they are hardly in each other's way.
inline unsigned blocks_of_card() { return static_cast<unsigned>(multiprocessors()); }

}  // namespace weft

using namespace weft;  // a step is a program of its own
