#pragma once

/// @file
/// Keeping the history of shared memory, the fast way: the pieces of a contiguous access as vectors, those of
/// any other one by one, each once.

#include <algorithm>
#include <bit>

#include "emulator/execute/memory.hpp"
#include "emulator/execute/race.hpp"
#include "emulator/memory/shared_history.hpp"
#include "emulator/vector/lanes.hpp"

namespace weft::emulator::WEFT_ISA {

/// A warp's access to shared memory that follows its site's pattern.
struct SharedAccess {
  SharedHistory& history;
  const Pattern& pattern;
  bool strong;  ///< the site's
  Trace mine;   ///< lane 0's
  Limits limits;
  std::uint64_t first;       ///< address of the first active lane
  std::uint32_t bytes;       ///< per lane
  std::uint32_t lane_shift;  ///< from pieces to lanes, in a contiguous access

  [[nodiscard]] Trace trace_of(std::uint64_t lane) const { return {mine.bits | lane}; }
};

/// Calls `visit(first piece, end, lane)` for each lane whose address no earlier one has.
template <class Address>
inline void each_first_lane(const SharedAccess& at, auto visit) {
  using Signed = std::make_signed_t<Address>;
  const auto* const distances = at.pattern.distances_as<Address>();
  for (std::uint32_t rest = at.pattern.first_lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint64_t address =
        at.first +
        static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<Signed>(distances[lane])));
    visit(address >> at.history.shift,
          (address + at.bytes + (1U << at.history.shift) - 1) >> at.history.shift, lane);
  }
}

/// Looks for pieces that nothing has written, and for writes by threads that nothing orders.
template <class Address>
inline bool suspicious_load(const SharedAccess& at) {
  const SharedHistory& history = at.history;
  const bool fresh_writes = history.last_write > std::min(at.limits.own, at.limits.others);
  std::uint32_t found = 0;
  if (at.pattern.contiguous) {
    const std::uint64_t first = at.first >> history.shift;
    const std::uint64_t pieces = lanes * std::uint64_t{at.bytes} >> history.shift;
    if (!history.are_written(first, first + pieces)) return true;
    if (!fresh_writes) return false;
    const Trace* const writes = history.writes.get() + first;
    for (std::uint64_t i = 0; i < pieces; ++i) {
      found |=
          static_cast<std::uint32_t>(suspicious_write(writes[i], at.trace_of(i >> at.lane_shift), at.limits));
    }
    return found != 0;
  }
  const std::uint64_t begin = (at.first + at.pattern.lowest) >> history.shift;
  const bool all_written =
      history.are_written(begin, ((at.first + at.pattern.highest - 1) >> history.shift) + 1);
  if (all_written && !fresh_writes) return false;
  each_first_lane<Address>(at, [&](std::uint64_t piece, std::uint64_t end, std::uint32_t lane) {
    for (; piece < end; ++piece) {
      found |= static_cast<std::uint32_t>(!history.was_written(piece));
      if (fresh_writes)
        found |=
            static_cast<std::uint32_t>(suspicious_write(history.writes[piece], at.trace_of(lane), at.limits));
    }
  });
  return found != 0;
}

/// Remembers bytes that several warps have read, each unordered to the others, beside those that it knows
/// already.
inline void remember_common(SharedHistory& history, std::uint64_t begin, std::uint64_t end,
                            std::uint32_t limit) {
  const bool joins =
      history.common_limit == limit && begin <= history.common_end && end >= history.common_begin;
  history.common_begin = joins ? std::min(history.common_begin, begin) : begin;
  history.common_end = joins ? std::max(history.common_end, end) : end;
  history.common_limit = limit;
}

/// Whether several warps are known to have done so to all bytes of a range.
inline bool in_common(const SharedHistory& history, std::uint64_t begin, std::uint64_t end, Limits limits) {
  return begin >= history.common_begin && end <= history.common_end && limits.others == history.common_limit;
}

/// Whether several warps have read all bytes of a range, each unordered to the others, after they were
/// written: one more makes no difference.
inline bool several_warps_read(const SharedAccess& at, std::uint64_t begin, std::uint64_t end) {
  SharedHistory& history = at.history;
  if (in_common(history, begin, end, at.limits)) return true;
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t all = ~std::uint64_t{0};
  std::uint64_t any = 0;
  for (std::uint64_t i = begin >> history.shift; i < end >> history.shift; ++i) {
    least = std::min(least, history.reads[i].bits);
    all &= history.reads[i].bits;
    any |= history.reads[i].bits;
  }
  const bool common = least >> 32 > at.limits.others && (all & Trace::several_warps_bit) != 0 &&
                      (any & Trace::strong_bit) == 0 &&
                      history.are_written(begin >> history.shift, end >> history.shift);
  if (common) remember_common(history, begin, end, at.limits.others);
  return common;
}

template <class Address>
inline void note_load(const SharedAccess& at) {
  SharedHistory& history = at.history;
  history.last_read = history.time;
  const std::uint64_t begin = at.first + at.pattern.lowest;
  const std::uint64_t end = at.first + at.pattern.highest;
  constexpr std::uint64_t near = 1024;  // bytes: looking between the lanes' addresses, too, costs little
  if (end - begin <= near && at.bytes >> history.shift != 0 && several_warps_read(at, begin, end)) return;
  if (at.pattern.contiguous) {
    Trace* const reads = history.reads.get() + (begin >> history.shift);
    const std::uint64_t pieces = (end - begin) >> history.shift;
#pragma GCC ivdep
    for (std::uint64_t i = 0; i < pieces; ++i) {
      reads[i] = merged_read(reads[i], at.trace_of(i >> at.lane_shift), at.limits);
    }
    return;
  }
  each_first_lane<Address>(at, [&](std::uint64_t piece, std::uint64_t last, std::uint32_t lane) {
    const std::uint64_t several =
        (at.pattern.common_lanes >> lane & 1U) != 0 ? Trace::several_lanes_bit : std::uint64_t{0};
    const Trace mine{at.trace_of(lane).bits | several};
    for (; piece < last; ++piece) history.reads[piece] = merged_read(history.reads[piece], mine, at.limits);
  });
}

/// Looks for reads and writes by threads that nothing orders.
template <class Address>
inline bool suspicious_store(const SharedAccess& at) {
  const SharedHistory& history = at.history;
  const std::uint32_t floor = std::min(at.limits.own, at.limits.others);
  const bool fresh_reads = history.last_read > floor;
  const bool fresh_writes = history.last_write > floor;
  std::uint32_t found = 0;
  if (at.pattern.contiguous) {
    const std::uint64_t first = at.first >> history.shift;
    const std::uint64_t pieces = lanes * std::uint64_t{at.bytes} >> history.shift;
    for (std::uint64_t i = 0; fresh_reads && i < pieces; ++i) {
      found |= static_cast<std::uint32_t>(
          suspicious_read(history.reads[first + i], at.trace_of(i >> at.lane_shift), at.limits));
    }
    for (std::uint64_t i = 0; fresh_writes && i < pieces; ++i) {
      found |= static_cast<std::uint32_t>(
          suspicious_write(history.writes[first + i], at.trace_of(i >> at.lane_shift), at.limits));
    }
    return found != 0;
  }
  if (!fresh_reads && !fresh_writes) return false;
  each_first_lane<Address>(at, [&](std::uint64_t piece, std::uint64_t end, std::uint32_t lane) {
    const Trace mine = at.trace_of(lane);
    for (; piece < end; ++piece) {
      found |= static_cast<std::uint32_t>(suspicious_write(history.writes[piece], mine, at.limits));
      found |= static_cast<std::uint32_t>(suspicious_read(history.reads[piece], mine, at.limits));
    }
  });
  return found != 0;
}

template <class Address>
inline void note_store(const SharedAccess& at) {
  at.history.last_write = at.history.time;
  if (at.pattern.contiguous) {
    Trace* const writes = at.history.writes.get() + (at.first >> at.history.shift);
    const std::uint64_t pieces = lanes * std::uint64_t{at.bytes} >> at.history.shift;
    for (std::uint64_t i = 0; i < pieces; ++i) writes[i] = at.trace_of(i >> at.lane_shift);
    at.history.mark_written(at.first >> at.history.shift, (at.first >> at.history.shift) + pieces);
    return;
  }
  each_first_lane<Address>(at, [&](std::uint64_t piece, std::uint64_t end, std::uint32_t lane) {
    at.history.mark_written(piece, end);
    for (; piece < end; ++piece) at.history.writes[piece] = at.trace_of(lane);
  });
}

/// The access that an operation makes at an address, now that its site's pattern is known.
[[gnu::always_inline]] inline SharedAccess shared_access(Warp& warp, const Operation& operation,
                                                         std::uint64_t first, std::uint32_t bytes) {
  SharedHistory& history = *warp.history;
  const Access& access = warp.accesses[operation.site];
  const Pattern& pattern = *access.pattern;
  if (!pattern.contiguous && pattern.first_lanes == 0) learn_first_lanes(warp, operation);
  const auto index = static_cast<std::uint32_t>(warp.index);
  const auto pieces = std::max(bytes >> history.shift, 1U);
  return {history,
          pattern,
          access.strong,
          history.trace(index, operation.site, access.strong),
          history.limits(index),
          first,
          bytes,
          static_cast<std::uint32_t>(std::countr_zero(pieces))};
}

/// Checks a load that is not like those of other warps, and notes it.
template <class Address>
[[gnu::noinline]] void follow_new_load(Warp& warp, const Operation& operation, std::uint64_t first,
                                       std::uint32_t bytes) {
  const SharedAccess at = shared_access(warp, operation, first, bytes);
  if (suspicious_load<Address>(at)) examine_load(warp, operation, first);
  note_load<Address>(at);
}

/// Checks a load and notes it.
template <class Address>
[[gnu::always_inline]] inline void follow_load(Warp& warp, const Operation& operation, std::uint64_t first,
                                               std::uint32_t bytes) {
  SharedHistory& history = *warp.history;
  const Pattern& pattern = *warp.accesses[operation.site].pattern;
  const Limits limits = history.limits(static_cast<std::uint32_t>(warp.index));
  const bool writes_are_ordered = history.last_write <= std::min(limits.own, limits.others);
  if (writes_are_ordered && in_common(history, first + pattern.lowest, first + pattern.highest, limits)) {
    history.last_read = history.time;
  } else {
    follow_new_load<Address>(warp, operation, first, bytes);
  }
}

/// Checks a store, has it made and notes it.
/// @param value_of puts what a lane (first argument) stores at a place (second)
/// @param store makes the store
template <class Address, std::uint32_t bytes>
inline void follow_store(Warp& warp, const Operation& operation, std::uint64_t first, auto value_of,
                         auto store) {
  const SharedAccess at = shared_access(warp, operation, first, bytes);
  const bool suspicious = suspicious_store<Address>(at);
  const bool at_once = at.pattern.common_lanes != 0 && !at.strong;
  if (!suspicious && !at_once) {
    store();
  } else {
    StoredValues values{};
    for (std::uint32_t rest = warp.active; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      value_of(lane, values.of[static_cast<std::size_t>(lane)].data());
    }
    if (suspicious) examine_store(warp, operation, first, values);
    store();
    if (at_once) examine_common_store(warp, operation, first, values);
  }
  note_store<Address>(at);
}

}  // namespace weft::emulator::WEFT_ISA
