#pragma once

/// @file
/// Blocks that run together and see each other's shared memory.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::emulator {

struct Block;

/// An address in a cluster's shared memory: the block's own as it is, that of the block of a rank with the
/// rank, counted from one, above these bits.
inline constexpr int shared_address_bits = 18;
inline constexpr std::uint64_t shared_address_mask = (std::uint64_t{1} << shared_address_bits) - 1;

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
