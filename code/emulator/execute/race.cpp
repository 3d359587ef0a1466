#include "emulator/execute/race.hpp"

#include <cstring>
#include <string>

#include "emulator/execute/block.hpp"
#include "emulator/execute/fault.hpp"

namespace weft::emulator {
namespace {

using Conflict = SharedHistory::Conflict;

std::string shared_text(const Warp& warp, const Operation& operation, std::uint64_t address) {
  return access_text(site_of(warp, operation)) + " at " + hexadecimal(address) + " of shared memory";
}

/// What a thread did that another one's access races with.
Fault race(const Warp& warp, const Operation& operation, int lane, std::uint64_t address,
           const Conflict& conflict) {
  const Block& block = *warp.block;
  std::string text = shared_text(warp, operation, address);
  if (conflict.kind == Conflict::Kind::unwritten) {
    return fault(warp, operation, lane, text + ", which no thread of its block has written");
  }
  const Trace other = conflict.other;
  const auto own_thread = static_cast<std::uint32_t>(warp.index * lanes + lane);
  const bool same_warp = other.warp() == static_cast<std::uint32_t>(warp.index);
  text += ", which ";
  text += other.thread() == own_thread ? "several threads" : "thread " + thread_text(block, other.thread());
  text += conflict.kind == Conflict::Kind::written_by_other ? " wrote at " : " read at ";
  text += position_text(*block.grid->kernel, (*block.grid->sites)[other.site()].position);
  const bool several_warps = (other.bits & Trace::several_warps_bit) != 0;
  text += same_warp && !several_warps ? ", with no __syncwarp() or barrier between them (race)"
                                      : ", with no barrier between them (race)";
  return fault(warp, operation, lane, text);
}

/// Calls `visit(lane, address, trace)` for each active lane.
void each_access(const Warp& warp, const Operation& operation, std::uint64_t first, auto visit) {
  const Pattern& pattern = *warp.accesses[operation.site].pattern;
  const Site& site = site_of(warp, operation);
  const Trace mine = warp.history->trace(static_cast<std::uint32_t>(warp.index), operation.site, site.strong);
  each_lane(warp.active, [&](int lane) {
    visit(lane, first + distance_of(pattern, site, lane),
          Trace{mine.bits | static_cast<std::uint64_t>(lane)});
  });
}

/// A read of what was never written: a load taints its results, which may never be used; anything else is an
/// error.
void read_conflict(Warp& warp, const Operation& operation, int lane, std::uint64_t address,
                   std::uint64_t bytes, const Conflict& conflict) {
  if (conflict.kind != Conflict::Kind::unwritten || !makes_registers(warp, operation))
    throw race(warp, operation, lane, address, conflict);
  const SharedHistory& history = *warp.history;
  warp.taint.add_load(warp, operation, lane, bytes, [&](std::uint64_t from, std::uint64_t length) {
    for (std::uint64_t piece = (address + from) >> history.shift;
         piece << history.shift < address + from + length; ++piece) {
      if (!history.was_written(piece)) return true;
    }
    return false;
  });
}

}  // namespace

bool makes_registers(const Warp& warp, const Operation& operation) {
  const Routine& routine = *warp.context.routine;
  return routine.uses[static_cast<std::size_t>(&operation - routine.code.data())].use == Use::load;
}

void learn_first_lanes(const Warp& warp, const Operation& operation) {
  find_first_lanes(*warp.accesses[operation.site].pattern, site_of(warp, operation));
}

void follow_shared(Warp& warp, const Operation& operation, int lane, std::uint64_t address,
                   std::uint64_t bytes, Touch touch, const std::byte* stored) {
  if (warp.history == nullptr) return;
  const Site& site = site_of(warp, operation);
  Trace mine = warp.history->trace(static_cast<std::uint32_t>(warp.index), operation.site, site.strong);
  mine.bits |= static_cast<std::uint64_t>(lane);
  const auto conflict = warp.history->conflict(mine, address, bytes, touch);
  const bool changes = stored == nullptr || std::memcmp(warp.shared + address, stored, bytes) != 0;
  if (conflict && changes) {
    // Lanes of one instruction come here one after the other: what they do at the same time is no race for
    // the checker.
    const bool same_instruction = conflict->other.time() == mine.time() &&
                                  conflict->other.site() == mine.site() &&
                                  conflict->other.warp() == mine.warp();
    if (!same_instruction) read_conflict(warp, operation, lane, address, bytes, *conflict);
  }
  warp.history->note(mine, address, bytes, touch);
}

void examine_load(Warp& warp, const Operation& operation, std::uint64_t first) {
  const auto bytes = static_cast<std::uint64_t>(site_of(warp, operation).bytes);
  each_access(warp, operation, first, [&](int lane, std::uint64_t address, Trace mine) {
    const auto conflict = warp.history->conflict(mine, address, bytes, Touch::read);
    if (conflict) read_conflict(warp, operation, lane, address, bytes, *conflict);
  });
}

void examine_store(Warp& warp, const Operation& operation, std::uint64_t first, const StoredValues& values) {
  const auto bytes = static_cast<std::uint64_t>(site_of(warp, operation).bytes);
  each_access(warp, operation, first, [&](int lane, std::uint64_t address, Trace mine) {
    const auto conflict = warp.history->conflict(mine, address, bytes, Touch::write);
    const std::byte* const stored = values.of[static_cast<std::size_t>(lane)].data();
    if (conflict && std::memcmp(warp.shared + address, stored, bytes) != 0)
      throw race(warp, operation, lane, address, *conflict);
  });
}

void examine_common_store(Warp& warp, const Operation& operation, std::uint64_t first,
                          const StoredValues& values) {
  const auto bytes = static_cast<std::size_t>(site_of(warp, operation).bytes);
  each_access(warp, operation, first, [&](int lane, std::uint64_t address, Trace /*mine*/) {
    if (std::memcmp(warp.shared + address, values.of[static_cast<std::size_t>(lane)].data(), bytes) == 0)
      return;
    throw fault(warp, operation, lane,
                shared_text(warp, operation, address) +
                    ", where another lane of its warp writes something else at the same time (race)");
  });
}

}  // namespace weft::emulator
