#pragma once

/// @file
/// A memory controller for one channel: which command comes next.

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>

#include "model/dram/channel.hpp"

namespace weft::model::dram {

/// So many bursts of one row, from a column on.
struct Request {
  Tick arrival = 0;  ///< not before that of the request before it
  int bank = 0;      ///< in its channel: Organization::bank_of
  std::int64_t row = 0;
  int column = 0;
  int bursts = 1;
  bool write = false;
};

/// Whose data come next: always those of the oldest request, whose followers have their rows opened
/// meanwhile; or those that can come first, and of such the oldest.
enum class Scheduler : std::uint8_t { first_come, first_ready };

/// When a row is closed: as soon as another of its bank is wanted, or as soon as no request waits for it.
enum class Page : std::uint8_t { open, closed };

enum class Refresh : std::uint8_t { none, all_banks, bank_by_bank };

inline constexpr int most_waiting = 256;

struct Policy {
  Scheduler scheduler = Scheduler::first_ready;
  Page page = Page::open;
  Refresh refresh = Refresh::none;
  int queue = 64;  ///< requests that wait at a time, 1 to 256
};

class Controller {
 public:
  /// @throws std::invalid_argument if the queue has not 1 to 256 places
  constexpr Controller(const Memory& memory, const Policy& policy)
      : Controller(memory, policy, Channel(memory)) {}

  /// A controller that believes in this channel.
  constexpr Controller(const Memory& memory, const Policy& policy, const Channel& channel)
      : policy_(policy),
        banks_(memory.organization.banks_of_channel()),
        banks_of_part_(memory.organization.banks_of_pseudo_channel()),
        activate_before_(memory.bus.activate_before),
        channel_(channel) {
    if (policy.queue < 1 || policy.queue > most_waiting) refuse("a queue has 1 to 256 places");
    oldest_.fill(nobody);
    newest_.fill(nobody);
    for (int place = 0; place < policy.queue; ++place) next_[place] = place + 1;
    next_[policy.queue - 1] = nobody;
    if (policy.refresh == Refresh::none || memory.timing.refi == 0) return;
    const int steps = policy.refresh == Refresh::all_banks ? 1 : banks_of_part_;
    interval_ = memory.timing.refi / steps;
    const int parts = memory.organization.pseudo_channels;
    for (int part = 0; part < parts; ++part) due_[part] = interval_ * (part + 1) / parts;
    parts_ = parts;
  }

  /// Serves requests until `next` has no more: a function that returns std::optional<Request>. Calls
  /// `issued(Issued)` for each command, in the order of their ticks.
  template <class Next, class Sink>
  constexpr void serve(Next next, Sink issued) {
    std::optional<Request> coming = next();
    while (true) {
      for (; coming && free_ != nobody && coming->arrival <= now_; coming = next()) admit(*coming);
      const Choice choice = choose();
      if (coming && free_ != nobody && coming->arrival <= choice.tick) {
        now_ = coming->arrival;
      } else if (choice.tick == end) {
        return;
      } else if (!begin_refresh(choice.tick)) {
        give(choice, issued);
      }
      if (!coming && served_ == admitted_) return;
    }
  }

 private:
  static constexpr int nobody = -1;
  static constexpr Tick end = std::numeric_limits<Tick>::max();

  struct Waiting {
    Request request;
    std::int64_t number = 0;
  };
  // A command that may come next, and not before `tick`. An activation is on the wires before its tick: so
  // choices are compared by when they take the wires, or each precharge would get in front of it.
  struct Choice {
    Tick tick = std::numeric_limits<Tick>::max();
    Tick before = 0;  // ticks on the wires before `tick`
    int rank = 0;     // refreshes before data before opening before closing
    std::int64_t number = 0;
    Command command = Command::activate;
    int bank = 0, place = -1;

    constexpr bool operator<(const Choice& other) const {
      return std::tuple(tick - before, rank, number) <
             std::tuple(other.tick - other.before, other.rank, other.number);
    }
  };

  constexpr void admit(const Request& request) {
    const int place = free_;
    free_ = next_[place];
    waiting_[place] = {request, admitted_++};
    next_[place] = nobody;
    (oldest_[request.bank] == nobody ? oldest_[request.bank] : next_[newest_[request.bank]]) = place;
    newest_[request.bank] = place;
    plan(request.bank);
  }

  constexpr void remove(int bank, int place) {
    int before = nobody;
    for (int other = oldest_[bank]; other != place; other = next_[other]) before = other;
    (before == nobody ? oldest_[bank] : next_[before]) = next_[place];
    if (newest_[bank] == place) newest_[bank] = before;
    next_[place] = free_;
    free_ = place;
    ++served_;
  }

  [[nodiscard]] constexpr bool refreshing(int bank) const {
    const int part = bank / banks_of_part_;
    return refreshing_[part] && (policy_.refresh == Refresh::all_banks || bank == turn_[part]);
  }

  // What a bank needs next.
  constexpr void plan(int bank) {
    const std::int64_t row = channel_.open_row(bank);
    int place = oldest_[bank];
    busy_ &= ~(std::uint64_t{1} << bank);
    if (refreshing(bank)) {
      if (row == no_row) return;
      place = nobody;
    }
    Command command = Command::activate;
    if (row != no_row) {
      int hit = place;
      if (policy_.scheduler == Scheduler::first_ready) {
        while (hit != nobody && waiting_[hit].request.row != row) hit = next_[hit];
      }
      if (hit != nobody && waiting_[hit].request.row == row) {
        place = hit;
        command = waiting_[hit].request.write ? Command::write : Command::read;
      } else if (place != nobody || policy_.page == Page::closed || refreshing(bank)) {
        command = Command::precharge;
      } else {
        return;
      }
    } else if (place == nobody) {
      return;
    }
    const std::int64_t number = place == nobody ? admitted_ : waiting_[place].number;
    const bool opens = command == Command::activate;
    const int rank = is_column(command) ? 1 : opens ? 2 : 3;
    planned_[bank] = {0, opens ? activate_before_ : 0, rank, number, command, bank, place};
    busy_ |= std::uint64_t{1} << bank;
  }

  constexpr Choice choose() {
    Choice best;
    for (int part = 0; part < parts_; ++part) {
      if (!refreshing_[part]) continue;
      const int bank = turn_[part];
      const bool all = policy_.refresh == Refresh::all_banks;
      if (all ? !channel_.all_closed(bank) : channel_.open_row(bank) != no_row) continue;
      const Command command = all ? Command::refresh_all : Command::refresh_bank;
      const Choice refresh{channel_.ready(command, bank, now_), 0, 0, 0, command, bank, nobody};
      if (refresh < best) best = refresh;
    }
    const Choice* first = &best;
    for (std::uint64_t rest = busy_; rest != 0; rest &= rest - 1) {
      Choice& planned = planned_[std::countr_zero(rest)];
      if (!(planned < *first)) continue;
      if (policy_.scheduler == Scheduler::first_come && planned.rank == 1 && planned.number != served_)
        continue;
      planned.tick = channel_.ready(planned.command, planned.bank, now_);
      if (planned < *first) first = &planned;
    }
    return *first;
  }

  // Keeps a pseudo-channel, or one of its banks, from new requests if its refresh is due.
  constexpr bool begin_refresh(Tick tick) {
    for (int part = 0; part < parts_; ++part) {
      if (refreshing_[part] || due_[part] > tick) continue;
      now_ = std::max(now_, due_[part]);
      refreshing_[part] = true;
      turn_[part] = part * banks_of_part_ + static_cast<int>(refreshes_[part]++ % banks_of_part_);
      replan(part);
      return true;
    }
    return false;
  }

  constexpr void replan(int part) {
    for (int bank = part * banks_of_part_; bank < (part + 1) * banks_of_part_; ++bank) plan(bank);
  }

  template <class Sink>
  constexpr void give(const Choice& choice, Sink& issued) {
    now_ = choice.tick;
    Issued line{choice.tick, choice.command, choice.bank};
    if (choice.command == Command::activate) line.row = waiting_[choice.place].request.row;
    if (is_column(choice.command)) {
      Request& request = waiting_[choice.place].request;
      line.row = request.row;
      line.column = request.column++;
      line.request = waiting_[choice.place].number;
      if (--request.bursts == 0) remove(choice.bank, choice.place);
    }
    channel_.issue(choice.command, choice.bank, line.row, choice.tick);
    if (choice.command == Command::refresh_bank || choice.command == Command::refresh_all) {
      const int part = choice.bank / banks_of_part_;
      refreshing_[part] = false;
      due_[part] += interval_;
      replan(part);
    } else {
      plan(choice.bank);
    }
    issued(line);
  }

  Policy policy_;
  int banks_, banks_of_part_;
  Tick activate_before_;
  Channel channel_;
  Tick now_ = 0;
  std::int64_t admitted_ = 0, served_ = 0;

  std::array<Waiting, most_waiting> waiting_{};
  std::array<int, most_waiting> next_{};  // in a bank's queue, or among the free places
  std::array<int, most_banks> oldest_{}, newest_{};
  int free_ = 0;

  std::uint64_t busy_ = 0;  // banks that need a command
  std::array<Choice, most_banks> planned_{};

  int parts_ = 0;  // pseudo-channels that are refreshed
  Tick interval_ = 0;
  std::array<Tick, most_banks> due_{};
  std::array<bool, most_banks> refreshing_{};
  std::array<int, most_banks> turn_{};
  std::array<std::int64_t, most_banks> refreshes_{};
};

}  // namespace weft::model::dram
