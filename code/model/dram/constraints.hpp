#pragma once

/// @file
/// Every rule about the time between two commands, as one table.

#include <array>
#include <cstdint>
#include <initializer_list>

#include "model/dram/timing.hpp"

namespace weft::model::dram {

/// Where two commands must meet for a rule to hold between them.
enum class Level : std::uint8_t { channel, pseudo_channel, stack, group, bank };

inline constexpr int level_count = 5;

/// A set of commands.
class Commands {
 public:
  constexpr Commands(std::initializer_list<Command> commands) {
    for (const Command command : commands) bits_ |= 1U << static_cast<unsigned>(command);
  }
  [[nodiscard]] constexpr bool contains(Command command) const {
    return (bits_ >> static_cast<unsigned>(command)) % 2 == 1;
  }

 private:
  unsigned bits_ = 0;
};

/// One of `to` comes at least `ticks` after each of `from`; or, with a window of w, after the w-th last. It
/// holds in one and the same part of a level, or between a part and its siblings alone.
struct Constraint {
  Level level;
  Commands from, to;
  Tick ticks;
  int window = 1;
  bool siblings = false;
};

inline constexpr int constraint_count = 41;

/// The table of a memory. The data bus is kept free by `ccd`, `rtw` and `wtr`; tests/model checks it as such.
constexpr std::array<Constraint, constraint_count> constraints(const Memory& memory) {
  using enum Command;
  using enum Level;
  const Timing& t = memory.timing;
  const CommandBus& bus = memory.bus;
  const Tick written = t.cwl + t.burst;
  const Commands row{precharge, refresh_bank, refresh_all};
  const Commands column{read, write};
  return {{
      // [bank]
      {bank, {activate}, {read}, t.rcd_read},
      {bank, {activate}, {write}, t.rcd_write},
      {bank, {activate}, {precharge}, t.ras},
      {bank, {activate}, {activate}, t.rc},
      {bank, {precharge}, {activate}, t.rp},
      {bank, {read}, {precharge}, t.rtp},
      {bank, {write}, {precharge}, written + t.wr},
      // [bank]
      {bank, {activate}, {refresh_bank}, t.rc},
      {bank, {precharge}, {refresh_bank}, t.rp},
      {bank, {refresh_bank}, {activate}, t.rfc_bank},
      {bank, {refresh_bank}, {refresh_bank}, t.rfc_bank},

      {group, {read}, {read}, t.ccd_l},
      {group, {write}, {write}, t.ccd_l},
      {group, {write}, {read}, written + t.wtr_l},
      {group, {activate}, {activate}, t.rrd_l},

      {stack, {read}, {read}, t.ccd_r, 1, true},

      {pseudo_channel, {read}, {read}, t.ccd_s},
      {pseudo_channel, {write}, {write}, t.ccd_s},
      {pseudo_channel, {read}, {write}, t.rtw},
      {pseudo_channel, {write}, {read}, written + t.wtr_s},
      {pseudo_channel, {activate}, {activate}, t.rrd_s},
      {pseudo_channel, {activate}, {activate}, t.faw, 4},
      {pseudo_channel, {precharge}, {precharge}, t.ppd},
      {pseudo_channel, {activate}, {refresh_bank}, t.rrd_s},
      {pseudo_channel, {refresh_bank}, {activate}, t.rrefd},
      {pseudo_channel, {refresh_bank}, {refresh_bank}, t.rrefd},
      {pseudo_channel, {refresh_bank}, {refresh_all}, t.rfc_bank},
      {pseudo_channel, {activate}, {refresh_all}, t.rc},
      {pseudo_channel, {precharge}, {refresh_all}, t.rp},
      {pseudo_channel, {refresh_all}, {activate}, t.rfc},
      {pseudo_channel, {refresh_all}, {refresh_bank}, t.rfc},
      {pseudo_channel, {refresh_all}, {refresh_all}, t.rfc},

      {channel, {activate}, {activate}, bus.activate_before + bus.activate_after},
      {channel, {activate}, row, bus.activate_after},
      {channel, row, {activate}, bus.row + bus.activate_before},
      {channel, row, row, bus.row},
      {channel, column, column, bus.column},
      {channel, {activate}, column, bus.shared ? bus.activate_after : 0},
      {channel, row, column, bus.shared ? bus.row : 0},
      {channel, column, {activate}, bus.shared ? bus.column + bus.activate_before : 0},
      {channel, column, row, bus.shared ? bus.column : 0},
  }};
}

}  // namespace weft::model::dram
