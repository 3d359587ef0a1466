#pragma once

/// @file
/// The times that a DRAM asks its controller to keep, and where they are from.

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "model/dram/command.hpp"
#include "model/dram/organization.hpp"

namespace weft::model::dram {

/// The least times between commands, in ticks, by their names in the standards (tRCD is `rcd`). `_s` is
/// between different bank groups, `_l` inside one, `_r` between stacks.
struct Timing {
  Tick burst = 0;                    ///< how long the data of one read or write keep the bus
  Tick cl = 0, cwl = 0;              ///< from a read or write to the first of its data
  Tick rcd_read = 0, rcd_write = 0;  ///< from opening a row to its first read or write
  Tick ras = 0, rp = 0, rc = 0;      ///< open for at least; from closing to opening; from opening to opening
  Tick rtp = 0, wr = 0;              ///< from a read, from the end of written data to closing the row
  Tick ccd_s = 0, ccd_l = 0, ccd_r = 0;   ///< from read to read, and from write to write
  Tick rrd_s = 0, rrd_l = 0, faw = 0;     ///< from opening to opening; in which at most four rows are opened
  Tick wtr_s = 0, wtr_l = 0, rtw = 0;     ///< from the end of written data to a read; from a read to a write
  Tick ppd = 0;                           ///< from closing to closing
  Tick rfc = 0, rfc_bank = 0, rrefd = 0;  ///< a refresh of all banks, of one; from that to another bank
  Tick refi = 0;                          ///< every bank is refreshed once in this time; 0: never
};

/// A time as its source gives it: the longer of picoseconds and clocks.
struct Given {
  // Without this name g++ takes the declaration for one with needless brackets.
  using Time = Tick Timing::*;

  Time time;
  std::string_view symbol;
  std::int64_t picoseconds;
  int clocks;
  std::string_view source;
  std::string_view elsewhere;  ///< what other sources say
};

/// How long commands keep the wires that tell them, in ticks. Rows have wires of their own or share those of
/// columns. An activation counts from the edge that opens the row, and has been on the wires before.
struct CommandBus {
  Tick activate_before, activate_after, row, column;
  bool shared;
  Tick edge;  ///< activations, reads and writes begin at multiples of it
};

/// One kind of memory.
struct Memory {
  std::string_view name;
  std::int64_t pin_mbps;  ///< megabits a second on each data pin
  int bits_per_clock;     ///< that a pin moves in a clock of the command bus
  int ticks_per_clock;
  Organization organization;
  CommandBus bus;
  std::span<const Given> given;
  Timing timing;

  [[nodiscard]] constexpr double tick_ns() const { return 1e3 * bits_per_clock / pin_mbps / ticks_per_clock; }
  /// What the data pins of a pseudo-channel move, in GB/s.
  [[nodiscard]] constexpr double pseudo_channel_rate() const {
    return organization.burst_bytes / (static_cast<double>(timing.burst) * tick_ns());
  }
  /// The same of the whole memory.
  [[nodiscard]] constexpr double peak() const {
    return pseudo_channel_rate() * organization.pseudo_channels * static_cast<double>(organization.channels);
  }
};

/// What a source gives, in ticks of this memory: whole clocks, rounded up.
constexpr Tick ticks_of(const Memory& memory, const Given& given) {
  const std::int64_t scale = std::int64_t{1'000'000} * memory.bits_per_clock;
  const std::int64_t clocks = (given.picoseconds * memory.pin_mbps + scale - 1) / scale;
  return std::max<std::int64_t>(clocks, given.clocks) * memory.ticks_per_clock;
}

/// The memory with all of its times.
constexpr Memory timed(Memory memory) {
  for (const Given& given : memory.given) memory.timing.*given.time = ticks_of(memory, given);
  return memory;
}

/// The same memory with other times, and another name.
constexpr Memory retimed(Memory memory, std::string_view name, std::span<const Given> given) {
  memory.name = name;
  memory.given = given;
  return timed(memory);
}

}  // namespace weft::model::dram
