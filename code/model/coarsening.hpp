#pragma once

/// @file
/// How many elements a thread should have: the least time of a launch, from what its blocks do and wait for,
/// from how many of them a multiprocessor holds, and from how full the last of them leave the card.

#include <algorithm>
#include <cstdint>
#include <span>

#include "model/device_limits.hpp"
#include "model/latency_under_load.hpp"
#include "model/occupancy.hpp"
#include "model/refuse.hpp"

namespace weft::model {

/// The card that a launch is to run on.
struct LaunchCard {
  DeviceLimits limits;
  int multiprocessors;
  double hertz;
  std::span<const LoadedLatency> latencies;  ///< of its DRAM, as bandwidth_with() takes them
};

/// A launch whose threads have some number of elements.
struct CoarsenedLaunch {
  Launch block;
  std::int64_t blocks{};
  double works{};         ///< cycles in which a block keeps the busiest part of its multiprocessor busy
  double waits{};         ///< cycles that a block takes beside these if it is alone
  double bytes{};         ///< that the DRAM moves for all blocks
  double thread_bytes{};  ///< that a thread asks for before it waits
};

/// A product of square matrices whose blocks have side × side threads, with factor × factor results each.
struct SquareProduct {
  std::int64_t size, side, factor;

  /// Rows and columns of C that a block computes.
  [[nodiscard]] constexpr std::int64_t tile() const { return side * factor; }
  [[nodiscard]] constexpr std::int64_t tiles_across() const { return (size + tile() - 1) / tile(); }
  [[nodiscard]] constexpr std::int64_t blocks() const { return tiles_across() * tiles_across(); }
  /// How often each element of A and of B is loaded: by each block of its row or column of tiles.
  [[nodiscard]] constexpr std::int64_t loads_of_element() const { return tiles_across(); }
  /// Bytes of a block's tiles of A and B, as deep as the block is wide.
  [[nodiscard]] constexpr std::int64_t shared_bytes() const {
    return 2 * std::int64_t{sizeof(float)} * tile() * side;
  }
};

/// The blocks of the multiprocessor that has most of them.
constexpr std::int64_t most_blocks(std::int64_t blocks, int multiprocessors) {
  return (blocks + multiprocessors - 1) / multiprocessors;
}

// [least]
/// The least that a launch can take, in seconds: the longest of
/// - the work of the multiprocessor that has most blocks;
/// - its blocks one after the other, as many at a time as it holds, with what each waits;
/// - the bytes of all blocks, at the bandwidth that so many bytes in flight allow (Little's law).
/// @throws std::invalid_argument if a multiprocessor cannot hold a block, or as occupancy() and
/// bandwidth_with() say
constexpr double least_seconds(const LaunchCard& card, const CoarsenedLaunch& launch) {
  const std::int64_t resident = occupancy(card.limits, launch.block).blocks;
  if (resident == 0) refuse("no multiprocessor holds such a block");
  const std::int64_t most = most_blocks(launch.blocks, card.multiprocessors);
  const std::int64_t rounds = (most + resident - 1) / resident;
  const double cycles = std::max(static_cast<double>(most) * launch.works,
                                 static_cast<double>(rounds) * (launch.works + launch.waits));
  const std::int64_t at_once = std::min(launch.blocks, resident * card.multiprocessors);
  const double in_flight = static_cast<double>(at_once * launch.block.threads) * launch.thread_bytes;
  const double seconds = cycles / card.hertz;
  if (launch.bytes == 0) return seconds;
  return std::max(seconds, launch.bytes / bandwidth_with(card.latencies, in_flight));
}
// [least]

/// The first of the launches that has the least time.
/// @throws std::invalid_argument if there is none, or as least_seconds() says
constexpr std::size_t best_launch(const LaunchCard& card, std::span<const CoarsenedLaunch> launches) {
  if (launches.empty()) refuse("of no launches none is best");
  std::size_t best = 0;
  for (std::size_t i = 1; i < launches.size(); ++i) {
    if (least_seconds(card, launches[i]) < least_seconds(card, launches[best])) best = i;
  }
  return best;
}

}  // namespace weft::model
