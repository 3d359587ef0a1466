#pragma once

/// @file
/// What a memory controller tells a DRAM to do, and when: the lines of a trace.

#include <array>
#include <cstdint>
#include <string_view>

namespace weft::model::dram {

/// Time in ticks. A memory says how long one is: a clock of its command bus, or half of it.
using Tick = std::int64_t;

/// A refresh is of one bank, or of all banks of a pseudo-channel.
enum class Command : std::uint8_t { activate, precharge, read, write, refresh_bank, refresh_all };

inline constexpr int command_count = 6;
inline constexpr std::array<std::string_view, command_count> command_names{
    "activate", "precharge", "read", "write", "refresh bank", "refresh all"};

constexpr bool is_column(Command command) { return command == Command::read || command == Command::write; }

inline constexpr std::int64_t no_row = -1;

/// A command as it was given.
struct Issued {
  Tick tick = 0;
  Command command = Command::activate;
  int bank = 0;  ///< in its channel: Organization::bank_of; of `refresh_all` any of its pseudo-channel
  std::int64_t row = no_row;  ///< which is opened or accessed
  int column = 0;             ///< of a read or write, counted in bursts
  std::int64_t request = -1;  ///< of a read or write: the number of the request that it serves
};

}  // namespace weft::model::dram
