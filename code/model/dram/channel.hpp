#pragma once

/// @file
/// One channel of a memory: which command it takes, and from when on.

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "model/dram/constraints.hpp"
#include "model/refuse.hpp"

namespace weft::model::dram {

inline constexpr int most_banks = 64;  ///< of a channel

class Channel {
 public:
  /// @throws std::invalid_argument if the channel has more than 64 banks
  constexpr explicit Channel(const Memory& memory) : Channel(memory, constraints(memory)) {}

  /// A channel that keeps these rules alone.
  constexpr Channel(const Memory& memory, std::span<const Constraint> table)
      : edge_(memory.bus.edge), banks_(memory.organization.banks_of_channel()) {
    if (banks_ < 1 || banks_ > most_banks) refuse("a channel has 1 to 64 banks");
    const Organization& parts = memory.organization;
    span_ = {banks_, parts.banks_of_pseudo_channel(), parts.groups * parts.banks, parts.banks, 1};
    for (int bank = 0; bank < banks_; ++bank) {
      for (int level = 0; level < level_count; ++level) part_[bank][level] = bank / span_[level];
    }
    for (auto& level : ready_) {
      for (Times& times : level) times.fill(0);
    }
    for (Times& times : after_) times.fill(never);
    open_.fill(no_row);
    for (const Constraint& constraint : table) add(constraint);
  }

  /// The row that a bank holds open, or no_row.
  [[nodiscard]] constexpr std::int64_t open_row(int bank) const { return open_[bank]; }

  /// The first tick, not before `from`, at which no rule about time refuses the command.
  [[nodiscard]] constexpr Tick ready(Command command, int bank, Tick from = 0) const {
    const auto c = static_cast<int>(command);
    Tick tick = from;
    for (int level = 0; level < level_count; ++level) {
      tick = std::max(tick, ready_[level][part_[bank][level]][c]);
    }
    const bool on_edge = is_column(command) || command == Command::activate;
    return on_edge ? (tick + edge_ - 1) & -edge_ : tick;
  }

  /// Whether the command may be given at this tick, to this row.
  [[nodiscard]] constexpr bool accepts(Command command, int bank, std::int64_t row, Tick tick) const {
    if (is_column(command) ? row == no_row || open_[bank] != row : false) return false;
    if (command == Command::precharge && open_[bank] == no_row) return false;
    if ((command == Command::activate || command == Command::refresh_bank) && open_[bank] != no_row)
      return false;
    if (command == Command::refresh_all && !all_closed(bank)) return false;
    const bool on_edge = is_column(command) || command == Command::activate;
    return tick >= ready(command, bank) && (!on_edge || tick % edge_ == 0);
  }

  /// Whether all banks of this bank's pseudo-channel are closed.
  [[nodiscard]] constexpr bool all_closed(int bank) const {
    const int size = span_[static_cast<int>(Level::pseudo_channel)];
    const int first = bank / size * size;
    return std::all_of(open_.begin() + first, open_.begin() + first + size,
                       [](std::int64_t row) { return row == no_row; });
  }

  /// Gives a command that the channel accepts.
  constexpr void issue(Command command, int bank, std::int64_t row, Tick tick) {
    if (command == Command::activate) open_[bank] = row;
    if (command == Command::precharge) open_[bank] = no_row;
    const auto from = static_cast<int>(command);
    for (int level = 0; level < level_count; ++level) {
      const Times& after = after_[from * level_count + level];
      Times& ready = ready_[level][part_[bank][level]];
      for (int to = 0; to < command_count; ++to) ready[to] = std::max(ready[to], tick + after[to]);
    }
    if (command == Command::read && siblings_ > 0) delay_siblings(bank, tick);
    if (command == Command::activate && window_ > 0) count_in_window(bank, tick);
  }

 private:
  static constexpr int most_window = 4;
  static constexpr Tick never = std::numeric_limits<Tick>::min() / 4;
  using Times = std::array<Tick, command_count>;

  constexpr void add(const Constraint& constraint) {
    const auto level = static_cast<int>(constraint.level);
    if (constraint.siblings) {
      siblings_ = std::max(siblings_, constraint.ticks);
    } else if (constraint.window > 1) {
      window_ = constraint.ticks;
    } else {
      for (int from = 0; from < command_count; ++from) {
        if (!constraint.from.contains(static_cast<Command>(from))) continue;
        for (int to = 0; to < command_count; ++to) {
          if (!constraint.to.contains(static_cast<Command>(to))) continue;
          Tick& ticks = after_[from * level_count + level][to];
          ticks = std::max(ticks, constraint.ticks);
        }
      }
    }
  }

  // A read delays reads of the other stacks of its pseudo-channel.
  constexpr void delay_siblings(int bank, Tick tick) {
    const int size = span_[static_cast<int>(Level::stack)];
    const int stacks = span_[static_cast<int>(Level::pseudo_channel)] / size;
    const int own = bank / size;
    const int first = own / stacks * stacks;
    for (int stack = first; stack < first + stacks; ++stack) {
      if (stack == own) continue;
      Tick& ready = ready_[static_cast<int>(Level::stack)][stack][static_cast<int>(Command::read)];
      ready = std::max(ready, tick + siblings_);
    }
  }

  // Four activations, and the next one waits for the first of them to leave the window.
  constexpr void count_in_window(int bank, Tick tick) {
    const auto level = static_cast<int>(Level::pseudo_channel);
    const int part = bank / span_[level];
    recent_[part][activations_[part]++ % most_window] = tick;
    if (activations_[part] < most_window) return;
    Tick& ready = ready_[level][part][static_cast<int>(Command::activate)];
    ready = std::max(ready, recent_[part][activations_[part] % most_window] + window_);
  }

  Tick edge_;
  int banks_;
  std::array<int, level_count> span_{};                          // banks of a part
  std::array<std::array<int, level_count>, most_banks> part_{};  // in which a bank lies
  std::array<std::array<Times, most_banks>, level_count> ready_{};
  std::array<Times, static_cast<std::size_t>(command_count) * level_count> after_{};
  Tick siblings_ = 0, window_ = 0;
  std::array<std::array<Tick, most_window>, most_banks> recent_{};
  std::array<std::int64_t, most_banks> activations_{};
  std::array<std::int64_t, most_banks> open_{};
};

}  // namespace weft::model::dram
