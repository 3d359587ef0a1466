#pragma once

/// @file
/// The cards that the recorder and the emulator stand in for, with their makers' public figures. Cards of one
/// kind differ in the memory that is left to programs by a few MiB: nothing may follow from it.

#include <array>
#include <cstdint>
#include <string_view>

#include "model/device_limits.hpp"

namespace weft::model {

/// What programs can ask about a card.
struct Card {
  std::string_view name;  ///< as `--device` takes it
  std::string_view full_name;
  int major, minor;  ///< compute capability
  int multiprocessors;
  int clock_khz, memory_clock_khz;  ///< at their highest
  int bus_bits;
  std::int64_t memory_bytes;
  std::int64_t l2_bytes;
  int copy_engines;
  int double_ratio;  ///< single-precision operations for one in double precision
  bool error_correction;
  bool server;  ///< without a display

  [[nodiscard]] constexpr int architecture() const { return 10 * major + minor; }
  [[nodiscard]] constexpr DeviceLimits limits() const { return device_limits(major, minor); }
};

inline constexpr std::int64_t mib = std::int64_t{1} << 20;

/// The first is the one that is taken if none is named.
inline constexpr std::array<Card, 5> cards{{
    {"H200", "NVIDIA H200", 9, 0, 132, 1'980'000, 3'201'000, 6016, 150'109'880'320, 60 * mib, 3, 2, true,
     true},
    {"H100", "NVIDIA H100 80GB HBM3", 9, 0, 132, 1'980'000, 2'619'000, 5120, 85'017'493'504, 50 * mib, 3, 2,
     true, true},
    {"A100", "NVIDIA A100-SXM4-80GB", 8, 0, 108, 1'410'000, 1'593'000, 5120, 81'152 * mib, 40 * mib, 3, 2,
     true, true},
    {"RTX 4090", "NVIDIA GeForce RTX 4090", 8, 9, 128, 2'520'000, 10'501'000, 384, 24'564 * mib, 72 * mib, 2,
     64, false, false},
    {"T4", "Tesla T4", 7, 5, 40, 1'590'000, 5'001'000, 256, 15'360 * mib, 4 * mib, 3, 32, true, true},
}};

/// @return nullptr if no card has that name
constexpr const Card* find_card(std::string_view name) {
  for (const Card& card : cards) {
    if (card.name == name) return &card;
  }
  return nullptr;
}

}  // namespace weft::model
