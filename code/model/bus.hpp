#pragma once

/// @file
/// A DRAM channel as source 003's textbook has it: a bus, and banks behind it. A bank senses a burst for
/// `latency` cycles, and then the bus carries the burst for `transfer` cycles. Rows, refresh and the turn
/// from reading to writing are left out.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "model/refuse.hpp"

namespace weft::model {

/// The wires between a memory controller and its banks.
struct Bus {
  std::int64_t bits;                 ///< that move at a time
  std::int64_t hertz;                ///< cycles of its clock in a second
  std::int64_t transfers_per_cycle;  ///< 2 at double data rate: one at each edge of the clock

  /// Bytes per second.
  [[nodiscard]] constexpr std::int64_t bandwidth() const { return bits * hertz * transfers_per_cycle / 8; }

  /// The least number of such buses, a channel each, that give so many bytes per second.
  [[nodiscard]] constexpr std::int64_t channels_for(std::int64_t bytes_per_second) const {
    return (bytes_per_second + bandwidth() - 1) / bandwidth();
  }
};

/// What a bank takes for a burst, in cycles of the bus.
struct BurstTiming {
  std::int64_t latency;   ///< from the start of an access until its burst is sensed
  std::int64_t transfer;  ///< of the burst on the bus; at least 1
};

/// A part of a whole.
struct Share {
  std::int64_t part;
  std::int64_t whole;

  bool operator==(const Share&) const = default;
  [[nodiscard]] constexpr double value() const {
    return static_cast<double>(part) / static_cast<double>(whole);
  }
};

// [share]
/// The share of its time in which a bus carries data, if its banks always have an access to make:
/// min(1, B · T / (L + T)), which is min(1, B / (R + 1)) for R = L / T (source 003).
constexpr Share share_of_bus(const BurstTiming& timing, std::int64_t banks) {
  const std::int64_t access = timing.latency + timing.transfer;
  return {std::min(banks * timing.transfer, access), access};
}

/// The fewest banks whose bus never rests: R + 1, rounded up.
constexpr std::int64_t banks_that_fill(const BurstTiming& timing) {
  return (timing.latency + timing.transfer + timing.transfer - 1) / timing.transfer;
}
// [share]

/// How many different banks so many accesses to random banks meet, on average: B · (1 − (1 − 1/B)ⁿ).
constexpr double different_banks(std::int64_t banks, std::int64_t accesses) {
  double missed = 1;  // the chance that none of the accesses meets a bank
  for (std::int64_t access = 0; access < accesses; ++access) missed *= 1 - 1 / static_cast<double>(banks);
  return static_cast<double>(banks) * (1 - missed);
}

/// What schedule() and Demand have room for.
inline constexpr std::int64_t most_channels = 16, most_banks = 64;

/// A bank among those of all channels.
/// @throws std::invalid_argument if there is no room for it
constexpr std::size_t bank_number(std::int64_t channel, std::int64_t bank) {
  if (channel < 0 || channel >= most_channels || bank < 0 || bank >= most_banks) {
    refuse("a bank is one of 64 in one of 16 channels");
  }
  return static_cast<std::size_t>(channel * most_banks + bank);
}

/// How often a pattern of accesses, which is repeated for ever, meets each bus and each bank.
class Demand {
 public:
  /// One access more of the pattern.
  constexpr void add(std::int64_t channel, std::int64_t bank) {
    std::int64_t& of_bank = of_banks_[bank_number(channel, bank)];
    std::int64_t& of_bus = of_buses_[static_cast<std::size_t>(channel)];
    banks_met_ += of_bank == 0 ? 1 : 0;
    channels_met_ += of_bus == 0 ? 1 : 0;
    most_of_bank_ = std::max(most_of_bank_, ++of_bank);
    most_of_bus_ = std::max(most_of_bus_, ++of_bus);
    ++accesses_;
  }

  [[nodiscard]] constexpr std::int64_t banks_met() const { return banks_met_; }  ///< of all channels
  [[nodiscard]] constexpr std::int64_t channels_met() const { return channels_met_; }

  /// The share of its time in which a bus carries data, at most and on average over so many channels. The
  /// fullest bank or the fullest bus decides how long a pattern takes at least.
  [[nodiscard]] constexpr Share share_of_buses(const BurstTiming& timing, std::int64_t channels) const {
    const std::int64_t of_bank = most_of_bank_ * (timing.latency + timing.transfer);
    const std::int64_t of_bus = most_of_bus_ * timing.transfer;
    return {accesses_ * timing.transfer, channels * std::max(of_bank, of_bus)};
  }

 private:
  std::array<std::int64_t, most_channels * most_banks> of_banks_{};
  std::array<std::int64_t, most_channels> of_buses_{};
  std::int64_t accesses_ = 0, banks_met_ = 0, channels_met_ = 0, most_of_bank_ = 0, most_of_bus_ = 0;
};

/// An access, and when what happens to it; all times in cycles of the bus.
struct Burst {
  std::int64_t channel = 0;
  std::int64_t bank = 0;     ///< within its channel
  std::int64_t arrival = 0;  ///< when it is asked for
  std::int64_t begin = 0;    ///< its bank starts to sense
  std::int64_t ready = 0;    ///< it is sensed
  std::int64_t moved = 0;    ///< its first byte is on the bus
  std::int64_t end = 0;      ///< its last byte was, and its bank is free
};

/// Fills in the times of bursts, which stand in the order of their arrival. A bank makes one access at a
/// time, and is free when its burst has left it. A bus carries one burst at a time, the one that was ready
/// first; of two that are ready together, the one that was asked for first. Both hold each channel for
/// itself.
/// @throws std::invalid_argument if a burst is of a channel or bank that there is no room for
constexpr void schedule(const BurstTiming& timing, std::span<Burst> bursts) {
  std::array<std::int64_t, most_channels> bus_free{};
  std::array<std::int64_t, most_channels * most_banks> bank_free{};
  const auto bank_of = [](const Burst& burst) { return bank_number(burst.channel, burst.bank); };
  constexpr std::int64_t not_yet = -1;
  for (Burst& burst : bursts) burst.begin = not_yet;
  for (std::size_t done = 0; done < bursts.size(); ++done) {
    Burst* first = nullptr;
    for (Burst& burst : bursts) {
      if (burst.begin != not_yet) continue;
      burst.ready = std::max(burst.arrival, bank_free[bank_of(burst)]) + timing.latency;
      if (first == nullptr || burst.ready < first->ready) first = &burst;
    }
    const auto channel = static_cast<std::size_t>(first->channel);
    first->begin = first->ready - timing.latency;
    first->moved = std::max(first->ready, bus_free[channel]);
    first->end = first->moved + timing.transfer;
    bus_free[channel] = bank_free[bank_of(*first)] = first->end;
  }
}

}  // namespace weft::model
