#pragma once

/// @file
/// How a memory is divided, and which part an address means.

#include <bit>
#include <cstdint>
#include <span>

namespace weft::model::dram {

/// Where a burst lies. A stack is what HBM calls a stack ID, DDR a rank: dies that share the channel's wires.
struct Place {
  std::int64_t channel = 0;
  int pseudo_channel = 0, stack = 0, group = 0, bank = 0;
  std::int64_t row = 0;
  int column = 0;  ///< in bursts

  constexpr bool operator==(const Place&) const = default;
};

/// How many of each part the part above has.
struct Organization {
  std::int64_t channels;
  int pseudo_channels, stacks, groups, banks;
  std::int64_t rows;
  int columns;      ///< bursts of a row: what the standard's column bits say, without those inside a burst
  int burst_bytes;  ///< what one read or write moves: width of a pseudo-channel × burst length

  [[nodiscard]] constexpr int banks_of_pseudo_channel() const { return stacks * groups * banks; }
  [[nodiscard]] constexpr int banks_of_channel() const { return pseudo_channels * banks_of_pseudo_channel(); }
  [[nodiscard]] constexpr std::int64_t row_bytes() const { return std::int64_t{columns} * burst_bytes; }
  [[nodiscard]] constexpr std::int64_t bytes() const {
    return channels * banks_of_channel() * rows * row_bytes();
  }
  /// A bank's number in its channel.
  [[nodiscard]] constexpr int bank_of(const Place& place) const {
    return ((place.pseudo_channel * stacks + place.stack) * groups + place.group) * banks + place.bank;
  }
};

enum class Part : std::uint8_t { channel, pseudo_channel, stack, group, bank, row, column };

/// So many bits of an address, which say a part or its next bits.
struct Field {
  Part part;
  int bits;
};

/// A bit of a part is flipped if an odd number of the address's bits under the mask are set.
struct Hash {
  Part part;
  int bit;
  std::uint64_t mask;
};

/// Which place an address means: its fields from the lowest bit above a burst upwards, then the hashes.
struct Mapping {
  std::span<const Field> fields;
  std::span<const Hash> hashes;

  [[nodiscard]] constexpr Place operator()(const Organization& organization, std::uint64_t address) const {
    std::int64_t values[7]{};
    int taken[7]{};
    std::uint64_t rest = address / organization.burst_bytes;
    for (const Field& field : fields) {
      const auto part = static_cast<int>(field.part);
      values[part] |= static_cast<std::int64_t>(rest & ((std::uint64_t{1} << field.bits) - 1)) << taken[part];
      taken[part] += field.bits;
      rest >>= field.bits;
    }
    for (const Hash& hash : hashes) {
      const std::int64_t parity = std::popcount(address & hash.mask) % 2;
      values[static_cast<int>(hash.part)] ^= parity << hash.bit;
    }
    return {values[0],
            static_cast<int>(values[1]),
            static_cast<int>(values[2]),
            static_cast<int>(values[3]),
            static_cast<int>(values[4]),
            values[5],
            static_cast<int>(values[6])};
  }
};

}  // namespace weft::model::dram
