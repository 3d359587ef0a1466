#pragma once

/// @file
/// Where an address lies: the interleaved placement of source 003, burst by burst over channels and banks.

#include <cstdint>

namespace weft::model {

/// A bank of a channel.
struct BankPlace {
  std::int64_t channel;
  std::int64_t bank;

  bool operator==(const BankPlace&) const = default;
};

/// What the next burst changes first.
enum class Turn : std::uint8_t {
  channel,  ///< as source 003 has it: the bank changes when all channels have had their turn
  bank
};

// [place]
/// Neighbouring bursts go to different channels, or to different banks of one channel. Behind the last bank
/// of the last channel all begins again.
struct Interleaving {
  std::int64_t burst_bytes;
  std::int64_t channels;
  std::int64_t banks;  ///< of each channel
  Turn turn;

  /// Where a byte lies. Addresses are not negative.
  [[nodiscard]] constexpr BankPlace place(std::int64_t address) const {
    const std::int64_t burst = address / burst_bytes;
    if (turn == Turn::bank) return {burst / banks % channels, burst % banks};
    return {burst % channels, burst / channels % banks};
  }

  /// The least array that has a burst in each bank, in bytes.
  [[nodiscard]] constexpr std::int64_t bytes_in_all_banks() const { return channels * banks * burst_bytes; }
};
// [place]

}  // namespace weft::model
