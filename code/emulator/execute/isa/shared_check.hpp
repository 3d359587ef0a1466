#pragma once

/// @file
/// Keeping the history of shared memory, the fast way: the pieces of a contiguous access as vectors, those of
/// any other one by one, each once.

#include <algorithm>
#include <bit>

#include "emulator/check/shared_history.hpp"
#include "emulator/execute/isa/lanes.hpp"
#include "emulator/execute/memory.hpp"

namespace weft::emulator::WEFT_ISA {

/// A warp's access to shared memory that follows its site's pattern.
struct SharedAccess {
  SharedHistory& history;
  const Access& access;
  Trace mine;  ///< lane 0's
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
  const auto* const distances = at.access.distances_as<Address>();
  for (std::uint32_t rest = at.access.first_lanes; rest != 0; rest &= rest - 1) {
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
  SharedHistory& history = at.history;
  const bool fresh_writes = history.last_write > std::min(at.limits.own, at.limits.others);
  std::uint32_t found = 0;
  if (at.access.contiguous) {
    const std::uint64_t end = at.first + lanes * std::uint64_t{at.bytes};
    const bool verified = at.first >= history.verified_begin && end <= history.verified_end;
    if (verified && !fresh_writes) return false;
    const Trace* const writes = history.writes.get() + (at.first >> history.shift);
    const std::uint64_t pieces = lanes * std::uint64_t{at.bytes} >> history.shift;
    for (std::uint64_t i = 0; i < pieces; ++i) {
      found |= static_cast<std::uint32_t>(writes[i].time() < history.begin);
      found |=
          static_cast<std::uint32_t>(suspicious_write(writes[i], at.trace_of(i >> at.lane_shift), at.limits));
    }
    if (found != 0) return true;
    if (at.first <= history.verified_end && end >= history.verified_begin) {
      history.verified_begin = std::min(history.verified_begin, at.first);
      history.verified_end = std::max(history.verified_end, end);
    } else {
      history.verified_begin = at.first;
      history.verified_end = end;
    }
    return false;
  }
  const bool verified = at.first + at.access.lowest >= history.verified_begin &&
                        at.first + at.access.highest <= history.verified_end;
  if (verified && !fresh_writes) return false;
  each_first_lane<Address>(at, [&](std::uint64_t piece, std::uint64_t end, std::uint32_t lane) {
    for (; piece < end; ++piece) {
      found |= static_cast<std::uint32_t>(history.writes[piece].time() < history.begin);
      found |=
          static_cast<std::uint32_t>(suspicious_write(history.writes[piece], at.trace_of(lane), at.limits));
    }
  });
  return found != 0;
}

template <class Address>
inline void note_load(const SharedAccess& at) {
  if (at.access.contiguous) {
    Trace* const reads = at.history.reads.get() + (at.first >> at.history.shift);
    const std::uint64_t pieces = lanes * std::uint64_t{at.bytes} >> at.history.shift;
#pragma GCC ivdep
    for (std::uint64_t i = 0; i < pieces; ++i) {
      reads[i] = merged_read(reads[i], at.trace_of(i >> at.lane_shift), at.limits);
    }
    return;
  }
  each_first_lane<Address>(at, [&](std::uint64_t piece, std::uint64_t end, std::uint32_t lane) {
    const std::uint64_t several =
        (at.access.common_lanes >> lane & 1U) != 0 ? Trace::several_lanes_bit : std::uint64_t{0};
    const Trace mine{at.trace_of(lane).bits | several};
    for (; piece < end; ++piece)
      at.history.reads[piece] = merged_read(at.history.reads[piece], mine, at.limits);
  });
}

/// Looks for reads and writes by threads that nothing orders.
template <class Address>
inline bool suspicious_store(const SharedAccess& at) {
  const SharedHistory& history = at.history;
  std::uint32_t found = 0;
  if (at.access.contiguous) {
    const Trace* const reads = history.reads.get() + (at.first >> history.shift);
    const Trace* const writes = history.writes.get() + (at.first >> history.shift);
    const std::uint64_t pieces = lanes * std::uint64_t{at.bytes} >> history.shift;
    for (std::uint64_t i = 0; i < pieces; ++i) {
      const Trace mine = at.trace_of(i >> at.lane_shift);
      found |= static_cast<std::uint32_t>(suspicious_write(writes[i], mine, at.limits));
      found |= static_cast<std::uint32_t>(suspicious_read(reads[i], mine, at.limits));
    }
    return found != 0;
  }
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
  if (at.access.contiguous) {
    Trace* const writes = at.history.writes.get() + (at.first >> at.history.shift);
    const std::uint64_t pieces = lanes * std::uint64_t{at.bytes} >> at.history.shift;
    for (std::uint64_t i = 0; i < pieces; ++i) writes[i] = at.trace_of(i >> at.lane_shift);
    return;
  }
  each_first_lane<Address>(at, [&](std::uint64_t piece, std::uint64_t end, std::uint32_t lane) {
    for (; piece < end; ++piece) at.history.writes[piece] = at.trace_of(lane);
  });
}

/// The access that an operation makes at an address, now that its site's pattern is known.
inline SharedAccess shared_access(Warp& warp, const Operation& operation, std::uint64_t first,
                                  std::uint32_t bytes) {
  SharedHistory& history = *warp.history;
  const Access& access = warp.accesses[operation.site];
  if (!access.contiguous && access.first_lanes == 0) learn_first_lanes(warp, operation);
  const auto index = static_cast<std::uint32_t>(warp.index);
  const auto pieces = std::max(bytes >> history.shift, 1U);
  return {history, access, history.trace(index, operation.site, access.strong), history.limits(index),
          first,   bytes,  static_cast<std::uint32_t>(std::countr_zero(pieces))};
}

/// Checks a load and notes it.
template <class Address>
inline void follow_load(Warp& warp, const Operation& operation, std::uint64_t first, std::uint32_t bytes) {
  const SharedAccess at = shared_access(warp, operation, first, bytes);
  if (suspicious_load<Address>(at)) examine_load(warp, operation, first);
  note_load<Address>(at);
}

/// Checks a store, has it made and notes it.
/// @param value_of puts what a lane (first argument) stores at a place (second)
/// @param store makes the store
template <class Address, std::uint32_t bytes>
inline void follow_store(Warp& warp, const Operation& operation, std::uint64_t first, auto value_of,
                         auto store) {
  const SharedAccess at = shared_access(warp, operation, first, bytes);
  const bool suspicious = suspicious_store<Address>(at);
  const bool at_once = at.access.common_lanes != 0 && !at.access.strong;
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
