#pragma once

/// @file
/// What the steps that measure a bandwidth have in common: blocks take tile after tile of some arrays, and go
/// over them as often as they are told.

#include "problem.hpp"

namespace weft {

/// Queues a kernel that goes over arrays of so many tiles, until its blocks have taken so many in all.
/// @param in the inputs, one behind the other; likewise @param out
/// @param sums takes the sum of all words that a warp reads, where nothing is written
using LaunchTiles = void (*)(unsigned blocks, cudaStream_t stream, const uint4* in, uint4* out,
                             std::uint32_t* sums, std::uint32_t tiles, std::uint32_t turns);

/// What STREAM multiplies by.
inline constexpr std::uint32_t factor = 3;

/// What is done with each tile.
struct Traffic {
  std::int64_t inputs;    ///< arrays that are read
  std::int64_t outputs;   ///< and written, at most one
  std::int64_t requests;  ///< of a warp for a tile of one array: 512 bytes each
  LaunchTiles launch;
  std::uint32_t multiplier = factor;  ///< of the last input, if something is written
};

inline constexpr dim3 tile_block{1024};

/// Who takes the tiles: so many blocks that stay, each on a multiprocessor of its own if there are enough, or
/// one of these.
inline constexpr int a_block_for_each_tile = 0;
inline constexpr int a_block_for_each_multiprocessor = -1;

/// A step whose shape is the mebibytes of all arrays together, and how often it goes over them.
Variant bandwidth(const char* name, const Setting& setting, const Traffic& traffic, int blocks);

}  // namespace weft
