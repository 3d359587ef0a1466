#pragma once

/// @file
/// Who read and who wrote each piece of a block's shared memory last, and what is ordered before what.
///
/// Time is counted in synchronizations: an access is stamped with the time, and every barrier ends a time. A
/// thread sees which accesses are ordered before its own by two limits: one for the other lanes of its warp,
/// moved by what synchronizes a warp, and one for other warps, moved by barriers. Two accesses to one piece
/// of which one writes, by threads that nothing orders, are a race. Where a program orders its threads by
/// flags, locks or asynchronous barriers, all that came before is taken as ordered: a race may stay unseen
/// then, but none is made up.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace weft::emulator {

/// What an access does to memory.
enum class Touch : std::uint8_t {
  read,
  write,
  update,      ///< reads and writes
  synchronize  ///< uses what orders threads: it must be there, and races with nothing
};

/// The last access to a piece. Zero: none.
struct Trace {
  std::uint64_t bits = 0;

  static constexpr std::uint64_t thread_mask = 0x3ff;
  static constexpr std::uint64_t site_mask = 0x7ffff;
  static constexpr std::uint64_t strong_bit = std::uint64_t{1} << 29;
  static constexpr std::uint64_t several_lanes_bit = std::uint64_t{1}
                                                     << 30;  ///< of the thread's warp read it
  static constexpr std::uint64_t several_warps_bit = std::uint64_t{1} << 31;

  [[nodiscard]] constexpr std::uint32_t time() const { return static_cast<std::uint32_t>(bits >> 32); }
  [[nodiscard]] constexpr std::uint32_t thread() const {
    return static_cast<std::uint32_t>(bits & thread_mask);
  }
  [[nodiscard]] constexpr std::uint32_t warp() const { return thread() >> 5; }
  [[nodiscard]] constexpr std::uint32_t site() const {
    return static_cast<std::uint32_t>(bits >> 10 & site_mask);
  }
};

/// What a warp may take as ordered before what it does now: accesses up to these times.
struct Limits {
  std::uint32_t own = 0;     ///< by other lanes of the warp
  std::uint32_t others = 0;  ///< by other warps
};

class SharedHistory {
 public:
  /// @param bytes of a block's shared memory
  /// @param piece_bytes 1, 2 or 4: what is told apart
  SharedHistory(std::uint64_t bytes, std::uint32_t piece_bytes, std::size_t warps);

  /// Another block: nothing is written but what CUDA provides, the bytes [provided_from, provided_to).
  void start(std::uint64_t provided_from, std::uint64_t provided_to);

  // Synchronization

  /// All threads of the block have met.
  void all_met() { base_ = time++; }
  /// Lanes of a warp have met.
  void warp_met(std::uint32_t warp);
  /// A warp has learned of what others did: by an atomic, a volatile load, an asynchronous barrier.
  void learned(std::uint32_t warp);
  void arrived(std::uint32_t barrier, std::uint32_t warp);
  /// @param waiting bits of the warps that go on
  /// @param all every thread of the block was there
  void opened(std::uint32_t barrier, std::uint32_t waiting, bool all);

  // Accesses

  [[nodiscard]] Limits limits(std::uint32_t warp) const {
    const Limits& own = views_[warp].limits;
    return {std::max(own.own, base_), std::max(own.others, base_)};
  }
  /// A trace of an access now, by lane 0 of a warp.
  [[nodiscard]] Trace trace(std::uint32_t warp, std::uint32_t site, bool strong) const {
    return {std::uint64_t{time} << 32 | (strong ? Trace::strong_bit : 0) | (site & Trace::site_mask) << 10 |
            warp << 5};
  }

  struct Conflict {
    enum class Kind : std::uint8_t { unwritten, read_by_other, written_by_other };
    Kind kind = Kind::unwritten;
    Trace other;  ///< unless unwritten
  };
  /// Looks at one lane's access, before it is noted.
  /// @param mine its trace
  [[nodiscard]] std::optional<Conflict> conflict(Trace mine, std::uint64_t address, std::uint64_t bytes,
                                                 Touch touch) const;
  /// Notes one lane's access.
  void note(Trace mine, std::uint64_t address, std::uint64_t bytes, Touch touch);

  [[nodiscard]] bool was_written(std::uint64_t piece) const {
    return (written[piece / 64] >> piece % 64 & 1) != 0;
  }
  /// Whether pieces side by side are all written.
  [[nodiscard]] bool are_written(std::uint64_t first, std::uint64_t end) const;
  void mark_written(std::uint64_t first, std::uint64_t end);
  /// A byte now holds what was never written.
  void forget(std::uint64_t address) {
    written[(address >> shift) / 64] &= ~(std::uint64_t{1} << (address >> shift) % 64);
  }

  // What vector code reads and writes itself

  std::uint32_t shift;   ///< from bytes to pieces
  std::uint64_t pieces;  ///< of all shared memory
  std::uint32_t time = 0;
  std::uint32_t last_read = 0, last_write = 0;  ///< times of the youngest ones
  std::uint64_t common_begin = 0,
                common_end = 0;        ///< bytes that several warps have read, each unordered to the others
  std::uint32_t common_limit = 0;      ///< of who found that out
  std::vector<std::uint64_t> written;  ///< a bit for each piece that the block has written
  std::unique_ptr<Trace[]> reads, writes;  ///< by piece

 private:
  struct View {
    Limits limits;
    std::array<std::uint32_t, 32> seen{};  ///< by warp: accesses up to this time are ordered
  };

  [[nodiscard]] bool ordered(Trace before, Trace mine) const;
  [[nodiscard]] bool read_by_other(Trace read, Trace mine) const;

  std::uint32_t base_ = 0;  ///< what all warps have seen of all
  bool partial_ = false;    ///< a barrier of some warps has opened
  std::vector<View> views_;
  std::array<std::array<std::uint32_t, 32>, 16> arrivals_{};  ///< by barrier and warp: when, or 0
};

inline bool SharedHistory::are_written(std::uint64_t first, std::uint64_t end) const {
  for (; first < end; first = (first / 64 + 1) * 64) {
    const std::uint64_t count = std::min(end, (first / 64 + 1) * 64) - first;
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - count) << first % 64;
    if ((written[first / 64] & mask) != mask) return false;
  }
  return true;
}

inline void SharedHistory::mark_written(std::uint64_t first, std::uint64_t end) {
  for (; first < end; first = (first / 64 + 1) * 64) {
    const std::uint64_t count = std::min(end, (first / 64 + 1) * 64) - first;
    written[first / 64] |= ~std::uint64_t{0} >> (64 - count) << first % 64;
  }
}

/// The trace of a read that follows an earlier one.
constexpr Trace merged_read(Trace before, Trace mine, Limits limits) {
  const bool same_warp = before.warp() == mine.warp();
  const bool other_lane = before.thread() != mine.thread();
  const bool unordered_in_warp = same_warp && before.time() > limits.own;
  const bool unordered_elsewhere = before.time() > limits.others;
  std::uint64_t bits = mine.bits;
  bits |= unordered_in_warp ? before.bits & Trace::several_lanes_bit : 0;
  bits |= unordered_in_warp && other_lane ? Trace::several_lanes_bit : 0;
  bits |= unordered_elsewhere ? before.bits & Trace::several_warps_bit : 0;
  bits |= unordered_elsewhere && !same_warp ? Trace::several_warps_bit : 0;
  const bool weakened = (unordered_in_warp || unordered_elsewhere) && (before.bits & Trace::strong_bit) == 0;
  return {weakened ? bits & ~Trace::strong_bit : bits};
}

/// Whether a write, looked at closely, may turn out to be a race with an access.
constexpr bool suspicious_write(Trace write, Trace mine, Limits limits) {
  const std::uint32_t limit = write.warp() == mine.warp() ? limits.own : limits.others;
  const bool both_strong = (write.bits & mine.bits & Trace::strong_bit) != 0;
  return write.time() > limit && write.thread() != mine.thread() && !both_strong;
}

/// Whether a read may turn out to be a race with a write that follows.
constexpr bool suspicious_read(Trace read, Trace mine, Limits limits) {
  const bool several = ((read.bits & Trace::several_lanes_bit) != 0 && read.time() > limits.own) ||
                       ((read.bits & Trace::several_warps_bit) != 0 && read.time() > limits.others);
  const bool both_strong = (read.bits & mine.bits & Trace::strong_bit) != 0;
  return (several || suspicious_write(read, mine, limits)) && !both_strong;
}

}  // namespace weft::emulator
