#pragma once

/// @file
/// Blocks that run together and see each other's shared memory.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::emulator {

struct Block;

struct Cluster {
  std::vector<Block*> blocks;  ///< by rank
  std::uint32_t arrived = 0;   ///< threads at the cluster's barrier
  std::uint32_t phase = 0;     ///< times that it has opened

  /// Counts threads in; opens the barrier if all are there that live.
  void arrive(std::uint32_t threads);
  /// Whether any of its warps can run.
  [[nodiscard]] bool runs() const;
};

}  // namespace weft::emulator
