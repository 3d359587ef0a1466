// What a refresh of all banks costs a stream of rows.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>

#include "dram_streams.hpp"

using namespace weft::model::dram;

namespace {

/// What a pseudo-channel has done until its refresh is due.
struct Before {
  int open = 0;     ///< rows
  Tick opened = 0;  ///< the newest of them
  Tick closed = 0;  ///< the last one that was
  Tick read = 0;    ///< the last burst
};

Tick on_edge(const Memory& memory, Tick tick) { return (tick + memory.bus.edge - 1) & -memory.bus.edge; }

/// When the first burst after a refresh is read.
Tick first_read(const Memory& memory, const Before& before, Tick due) {
  const Timing& t = memory.timing;
  // Rows are closed one after the other. The newest one waits for tRAS, the one that was read last for tRTP.
  const Tick slot = std::max(t.ppd, memory.bus.row);
  const Tick last = std::max(due, before.closed + slot) + (before.open - 1) * slot;
  const Tick closed = std::max({last, before.opened + t.ras, before.read + t.rtp});
  const Tick refresh = std::max(closed + t.rp, before.opened + t.rc);
  return on_edge(memory, on_edge(memory, refresh + t.rfc) + t.rcd_read);
}

/// What the bus rests before it is full again: one row gives a burst in each tCCDL, and two rows fill the
/// bus. The second one is opened tRRD after the first.
Tick rest_with_one_row(const Timing& t) {
  const Tick bursts = (t.rrd_s + t.ccd_l - 1) / t.ccd_l;
  return t.rrd_s - bursts * t.burst;
}

struct Refreshes {
  std::int64_t count = 0;
  Tick lost = 0;  ///< of the bus, by the closed form
  Tick late = 0;  ///< by how much the first bursts come later than the closed form says
};

/// Adds up the refreshes of one pseudo-channel, and checks that no first burst comes too early.
Refreshes refreshes_of(const Memory& memory, const Served& served, int pseudo_channel) {
  const Organization& parts = memory.organization;
  Refreshes found;
  Before before;
  Tick due = memory.timing.refi * (pseudo_channel + 1) / parts.pseudo_channels;
  Tick expected = 0;  // the first burst after a refresh that is due
  for (const Issued& line : served.trace) {
    if (line.bank / parts.banks_of_pseudo_channel() != pseudo_channel) continue;
    if (expected == 0 && line.tick >= due) expected = first_read(memory, before, due);
    if (line.command == Command::activate) {
      ++before.open;
      before.opened = line.tick;
    }
    if (line.command == Command::precharge) {
      --before.open;
      before.closed = line.tick;
    }
    if (line.command != Command::read) continue;
    if (expected != 0) {
      CHECK(line.tick >= expected);
      ++found.count;
      found.lost += expected - before.read - memory.timing.burst + rest_with_one_row(memory.timing);
      found.late += line.tick - expected;
      expected = 0;
      due += memory.timing.refi;
    }
    before.read = line.tick;
  }
  return found;
}

/// Rows of the first pseudo-channel alone, or of both; always new ones, or the same ones again and again.
Served stream(const Memory& memory, Refresh refresh, int pseudo_channels, bool new_rows = true) {
  const int step = memory.organization.pseudo_channels / pseudo_channels;
  return serve(memory, {.refresh = refresh, .queue = 64}, std::int64_t{8'000} * pseudo_channels,
               [&](std::int64_t n) {
                 Request request = row_after_row(memory, n * step);
                 if (!new_rows) request.row = 0;
                 return request;
               });
}

/// By how much refreshes make a stream longer.
double lost(const Memory& memory, int pseudo_channels, bool new_rows = true) {
  return static_cast<double>(stream(memory, Refresh::all_banks, pseudo_channels, new_rows).end -
                             stream(memory, Refresh::none, pseudo_channels, new_rows).end);
}

TEST_CASE(
    "after a refresh of all banks the next burst comes at its tick, and the stream loses what it says") {
  for (const Memory& memory : real) {
    INFO(memory.name);
    const Refreshes found = refreshes_of(memory, stream(memory, Refresh::all_banks, 1), 0);
    CHECK(found.count > 90);
    CHECK(found.late == 0);
    CHECK(lost(memory, 1) == near(static_cast<double>(found.lost)));
  }
}

TEST_CASE("refreshes cost as much if two pseudo-channels share the wires for commands") {
  for (const Memory& memory : real) {
    const int parts = memory.organization.pseudo_channels;
    if (parts == 1) continue;
    INFO(memory.name);
    const Served with = stream(memory, Refresh::all_banks, parts);
    double expected = 0;
    for (int part = 0; part < parts; ++part) {
      expected += static_cast<double>(refreshes_of(memory, with, part).lost) / parts;
    }
    CHECK(lost(memory, parts) == near(expected));
  }
}

TEST_CASE(
    "if all rows have been open for long, a refresh costs the slots to close them, tRP, tRFC and tRCD") {
  for (const Memory& memory : real) {
    INFO(memory.name);
    const Timing& t = memory.timing;
    const int banks = memory.organization.banks_of_pseudo_channel();
    const Tick pause = (banks - 1) * std::max(t.ppd, memory.bus.row) + t.rp + t.rfc + t.rcd_read;
    const std::int64_t count = refreshes_of(memory, stream(memory, Refresh::all_banks, 1, false), 0).count;
    CHECK(lost(memory, 1, false) == near(static_cast<double>(count * (pause + rest_with_one_row(t)))));
  }
}

}  // namespace
