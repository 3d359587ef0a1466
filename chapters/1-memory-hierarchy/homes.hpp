#pragma once

/// @file
/// What the steps have in common whose multiprocessors know which half of the L2 is the home of a line.

#include <utility>

#include "tiles.hpp"

namespace weft {

inline constexpr std::int64_t piece_bytes = 4096;  // of which all lines have one home
inline constexpr std::int64_t piece_vectors = piece_bytes / 16;

/// Of two pieces side by side one has its home in either half: bit 12 is one of the bits that decide. A tile
/// has a pair for each warp of a block.
inline constexpr std::int64_t pairs_of_tile = 32;
inline constexpr std::int64_t vectors_of_tile = pairs_of_tile * 2 * piece_vectors;

/// What was found out about an array. Half 0 is the home of its first piece.
struct Homes {
  std::uint32_t* first;  ///< of each tile, a bit for each pair: whether half 0 is the home of its first piece
  uint2* seats;          ///< of each multiprocessor the half that is near, and its number among those near it
  std::uint32_t* counts;  ///< multiprocessors near to either half
};

/// The places for seats; multiprocessors are numbered from 0 on.
inline constexpr std::int64_t most_seats = 1024;

/// An array whose homes are found out by the first launch, and what of it is read.
class HomesProblem : public ArrayProblem {
 public:
  explicit HomesProblem(std::int64_t tiles);

  /// Whether nothing has found out the homes; only said once.
  [[nodiscard]] bool unknown() { return !std::exchange(found_, true); }

  [[nodiscard]] std::uint32_t tiles() const { return tiles_; }
  [[nodiscard]] Homes homes() const;

  /// Launches write the sums of warps, and behind them the cycles of blocks: the sums together must be that
  /// of so many words, so many times.
  void sums_are_of(std::int64_t words, std::int64_t times);

  [[nodiscard]] std::int64_t* sums() const { return sums_; }
  [[nodiscard]] std::int64_t* cycles() const { return sums_ + sums_of_warps(); }

  Verdict verify() override;

 private:
  static std::int64_t sums_of_warps() { return multiprocessors() * pairs_of_tile; }

  std::uint32_t tiles_;
  DeviceMemory first_, seats_;
  bool found_ = false;
  std::int64_t* sums_ = nullptr;
  std::int64_t words_ = 0, times_ = 0;
};

/// The words that steps read.
std::uint32_t word_of_pieces(std::uint64_t seed, std::int64_t index);

/// What the finding out does to memory beside its atomics.
model::Prediction predict_find(std::int64_t tiles);

}  // namespace weft
