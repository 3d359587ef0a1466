#pragma once

/// @file
/// Finding lines of one slice of the L2, and among them lines of one bank: the kernels of one_channel.cu that
/// look for lines, and where their numbers lie.

#include <limits>

#include "mates.hpp"

// Unnamed, as in the program that includes it: the names of kernels are a part of what results are published
// for.
namespace {
constexpr int untried = std::numeric_limits<int>::min();  // cycles

constexpr unsigned timing_blocks = 64;  // of one thread each; they time lines, and all others load one line
constexpr std::int64_t lines_of_ticket = 16, loads_of_turn = 64, most_turns = 1 << 16;
constexpr int timed_loads = 3;
constexpr std::int64_t cycles_until_busy = 30'000;
constexpr std::int64_t cycles_of_bin = 16, bins = 128;

constexpr std::int64_t most_sorted = 1 << 16;  // lines that are sorted into groups
constexpr std::int64_t most_listed = 1 << 17;

constexpr unsigned pair_blocks = 16;
constexpr std::int64_t pairs_of_block = 1000, pairs_tried = pair_blocks * pairs_of_block;
constexpr std::int64_t most_of_bank = 1024, candidates_for_first = 32;
constexpr int rounds_of_collect = 8;

constexpr std::int64_t rounds = 5;  // of reading what was found

/// From how many cycles on an access counts as something; a test takes other limits.
struct Limits {
  /// Of a load beside a busy line: nearly all others take less than 500, and those of its slice about 1000
  /// or more.
  unsigned slow = 750;
  /// Of an atomic, which is done in the half of the L2 that is its line's home: the nearer half takes less.
  unsigned far = 400;
  int conflict = conflict_cycles;
};

/// A list on the device.
struct Listed {
  std::int64_t* count;
  std::int64_t* lines;
  std::int64_t most;

  [[nodiscard]] __device__ std::int64_t size() const { return min(*count, most); }

  /// Adds a line, if there is room.
  __device__ void add(std::int64_t line) const {
    const auto at = static_cast<std::int64_t>(atomicAdd(reinterpret_cast<unsigned long long*>(count), 1ULL));
    if (at < most) lines[at] = line;
  }
};

/// Where the numbers of a launch lie.
struct Layout {
  std::int64_t* numbers;
  std::int64_t readers;

  static constexpr std::int64_t counts = 8;
  static constexpr std::int64_t ways = 7;

  [[nodiscard]] __host__ __device__ std::int64_t* ticket() const { return numbers; }
  [[nodiscard]] __host__ __device__ std::int64_t* groups() const { return numbers + 1; }
  [[nodiscard]] __host__ __device__ std::int64_t* twice() const { return numbers + 2; }
  [[nodiscard]] __host__ __device__ std::int64_t* target() const { return numbers + 3; }
  [[nodiscard]] __host__ __device__ Listed slow() const { return {numbers + 4, lists(), most_listed}; }
  [[nodiscard]] __host__ __device__ Listed nearer() const {
    return {numbers + 5, lists() + most_listed, most_listed};
  }
  [[nodiscard]] __host__ __device__ Listed farther() const {
    return {numbers + 6, lists() + 2 * most_listed, most_listed};
  }
  [[nodiscard]] __host__ __device__ Listed bank() const {
    return {numbers + 7, lists() + 3 * most_listed, most_of_bank};
  }
  [[nodiscard]] __host__ __device__ std::int64_t* histogram() const { return numbers + counts; }
  [[nodiscard]] __host__ __device__ std::int64_t* group_of() const { return histogram() + bins; }
  [[nodiscard]] __host__ __device__ std::int64_t* lists() const { return group_of() + most_sorted; }
  [[nodiscard]] __host__ __device__ std::int64_t* extra() const {
    return lists() + 3 * most_listed + most_of_bank;
  }
  [[nodiscard]] __host__ __device__ std::int64_t* sums() const { return extra() + 2 * pairs_tried; }
  [[nodiscard]] __host__ __device__ std::int64_t* stamps(std::int64_t way, std::int64_t round) const {
    return sums() + ways + (way * rounds + round) * 2 * readers;
  }
  static std::int64_t size(std::int64_t readers) {
    return counts + bins + most_sorted + 3 * most_listed + most_of_bank + 2 * pairs_tried + ways +
           ways * rounds * 2 * readers;
  }
};

__global__ void begin(Layout layout, std::int64_t sorted) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (thread < Layout::counts + bins) layout.numbers[thread] = 0;
  if (thread < sorted) layout.group_of()[thread] = -1;
  if (thread < Layout::ways) layout.sums()[thread] = 0;
}

/// The cycles since the clock stood at `began`, when a value has come to the first thread of a warp.
/// @param value is not needed any more
__device__ unsigned cycles_until(unsigned& value, clock_t began) {
  value = __reduce_or_sync(1U, value == no_time ? 1U : 0U);
  if (value != 0) return no_time;  // the clock is not read before the value has come
  return static_cast<unsigned>(clock() - began);
}

/// The cycles of a load that passes by the L1. It is relaxed: two weak loads of a word could become one.
__device__ unsigned cycles_of_load(const std::uint32_t* word) {
  const clock_t began = clock();
  unsigned found = 0;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(found) : "l"(word) : "memory");
  return cycles_until(found, began);
}

/// The cycles of an atomic that changes nothing.
__device__ unsigned cycles_of_atomic(std::uint32_t* word) {
  const clock_t began = clock();
  unsigned found = 0;
  asm volatile("atom.global.or.b32 %0, [%1], 0;" : "=r"(found) : "l"(word) : "memory");
  return cycles_until(found, began);
}

/// The next line that is in no group yet becomes the target.
__global__ void next_target(Layout layout, std::int64_t sorted) {
  std::int64_t candidate = *layout.target();
  while (candidate < sorted && layout.group_of()[candidate] >= 0) ++candidate;
  *layout.target() = candidate;
  *layout.ticket() = 0;
  if (candidate >= sorted) return;
  layout.group_of()[candidate] = (*layout.groups())++;
}

/// Blocks of one thread: the first ones time loads of lines that the L2 holds by then, and all others load
/// the target all the while.
/// @param count so many lines are timed
/// @param sort whether they are sorted into groups, or those that are slow are listed
__global__ void time_loads(const std::uint32_t* lines, Candidates candidates, std::int64_t count, bool sort,
                           unsigned enough, Layout layout, Listed slow) {
  const std::int64_t target = sort ? *layout.target() : 0;
  if (sort && target >= count) return;
  if (blockIdx.x < timing_blocks) {
    const std::int64_t began = clock64();
    while (clock64() - began < cycles_until_busy) continue;
    for (;;) {
      const auto first = static_cast<std::int64_t>(
          atomicAdd(reinterpret_cast<unsigned long long*>(layout.ticket()), lines_of_ticket));
      if (first >= count) return;
      for (std::int64_t candidate = first; candidate < min(first + lines_of_ticket, count); ++candidate) {
        const std::int64_t line = candidates.line(0, 1, candidate);
        const std::uint32_t* const word = lines + line * words_of_line;
        if (cycles_of_load(word) == no_time) return;
        unsigned least = no_time;
#pragma unroll 1
        for (int load = 0; load < timed_loads; ++load) least = min(least, cycles_of_load(word));
        if (sort) {
          if (least < enough || candidate == target) continue;
          if (layout.group_of()[candidate] < 0) {
            layout.group_of()[candidate] = *layout.groups() - 1;
          } else {
            atomicAdd(reinterpret_cast<unsigned long long*>(layout.twice()), 1ULL);
          }
        } else {
          const std::int64_t bin = min(std::int64_t{least} / cycles_of_bin, bins - 1);
          atomicAdd(reinterpret_cast<unsigned long long*>(layout.histogram() + bin), 1ULL);
          if (least >= enough || candidate == 0) slow.add(line);
        }
      }
    }
  }
  const std::uint32_t* const word = lines + candidates.line(0, 1, target) * words_of_line;
  const volatile std::int64_t* const ticket = layout.ticket();
  // The last ticket of a timing block is one that it finds no line for.
  const std::int64_t last = count + timing_blocks * lines_of_ticket;
  for (std::int64_t turn = 0; turn < most_turns && *ticket < last; ++turn) {
#pragma unroll 1
    for (std::int64_t load = 0; load < loads_of_turn; ++load) {
      if (cycles_of_load(word) == no_time) return;
    }
  }
}

/// One block sorts lines by their homes.
__global__ void tell_halves(std::uint32_t* lines, Listed slow, Listed nearer, Listed farther, unsigned far) {
  if (threadIdx.x % model::warp_size != 0) return;
  const auto warps = static_cast<std::int64_t>(blockDim.x / model::warp_size);
  for (std::int64_t i = threadIdx.x / model::warp_size; i < slow.size(); i += warps) {
    std::uint32_t* const word = lines + slow.lines[i] * words_of_line;
    if (cycles_of_atomic(word) == no_time) return;
    unsigned least = no_time;
#pragma unroll 1
    for (int time = 0; time < timed_loads; ++time) least = min(least, cycles_of_atomic(word));
    (least < far ? nearer : farther).add(slow.lines[i]);
  }
}

/// Tries pairs of lines of one list, or of two. A block has two threads, and each of them a line of the pair.
/// @param extra takes the cycles of both beyond the slower alone
__global__ void try_pairs(const std::uint32_t* lines, Listed first, Listed second, bool one,
                          std::int64_t* extra) {
  const int lane = threadIdx.x;
  for (std::int64_t i = 0; i < pairs_of_block; ++i) {
    const std::int64_t pair = blockIdx.x * pairs_of_block + i;
    int cycles = untried;
    if (one ? 2 * pair + 1 < first.size() : pair < min(first.size(), second.size())) {
      const std::int64_t line = one ? first.lines[2 * pair + lane] : (lane == 0 ? first : second).lines[pair];
      cycles = extra_past_l2(lines + line * words_of_line, lane, untried);
    }
    if (lane == 0) extra[pair] = cycles;
  }
}

/// Collects lines of one bank out of a list. Most lines need one load only, with which the bank's first line
/// is not slower than alone: so the first is one that is slow alone, as hardly any line is slower.
__global__ void collect(const std::uint32_t* lines, Listed list, Listed bank, int conflict) {
  constexpr unsigned both = 3;
  const int lane = threadIdx.x;
  const std::int64_t count = list.size();
  if (count == 0) return;
  std::int64_t first = list.lines[0];
  unsigned alone = 0;
  for (std::int64_t i = 0; i < min(count, candidates_for_first); ++i) {
    const std::int64_t line = list.lines[i];
    const unsigned cycles = least_past_l2(lines + line * words_of_line, lane == 0, both, pair_rounds);
    if (cycles <= alone || cycles == no_time) continue;
    alone = cycles;
    first = line;
  }
  const int enough = static_cast<int>(alone) + conflict;
  std::int64_t found = 1;
  for (std::int64_t i = 0; i < count && found < bank.most; ++i) {
    const std::int64_t line = list.lines[i];
    if (line == first) continue;
    const std::uint32_t* const mine = lines + (lane == 0 ? first : line) * words_of_line;
    int times = 0;
    for (; times < rounds_of_collect; ++times) {
      const auto cycles = static_cast<int>(cycles_past_l2(mine, true, both));
      if (cycles < enough) break;
    }
    if (times < rounds_of_collect) continue;
    if (extra_past_l2(mine, lane, conflict) < conflict) continue;
    if (lane == 0) bank.lines[found] = line;
    ++found;
  }
  if (lane == 0) {
    bank.lines[0] = first;
    *bank.count = found;
  }
}
}  // namespace
