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
/// The share of its time in which a bus carries data, if all of its banks always have an access to make:
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

/// An access, and when what happens to it; all times in cycles of the bus.
struct Burst {
  std::int64_t channel = 0;
  std::int64_t bank = 0;     ///< within its channel
  std::int64_t arrival = 0;  ///< when it is asked for
  std::int64_t begin = -1;   ///< its bank starts to sense; -1: not scheduled yet
  std::int64_t ready = -1;   ///< it is sensed
  std::int64_t moved = -1;   ///< its first byte is on the bus
  std::int64_t end = -1;     ///< its last byte was, and its bank is free
};

/// What schedule() has room for.
inline constexpr std::int64_t most_channels = 16, most_banks = 64;

/// Fills in the times of bursts, which stand in the order of their arrival. A bank makes one access at a
/// time, and is free when its burst has left it. A bus carries one burst at a time, the one that was ready
/// first; of two that are ready together, the one that was asked for first. Both hold each channel for
/// itself.
/// @throws std::invalid_argument if a burst is of a channel or bank that there is no room for
constexpr void schedule(const BurstTiming& timing, std::span<Burst> bursts) {
  std::array<std::int64_t, most_channels> bus_free{};
  std::array<std::int64_t, most_channels * most_banks> bank_free{};
  const auto bank_of = [](const Burst& burst) {
    return static_cast<std::size_t>(burst.channel * most_banks + burst.bank);
  };
  for (const Burst& burst : bursts) {
    if (burst.channel < 0 || burst.channel >= most_channels || burst.bank < 0 || burst.bank >= most_banks) {
      refuse("a burst lies in one of 16 channels and one of 64 banks");
    }
  }
  for (std::size_t done = 0; done < bursts.size(); ++done) {
    Burst* first = nullptr;
    for (Burst& burst : bursts) {
      if (burst.begin >= 0) continue;
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
