#pragma once

/// @file
/// What the steps have in common that copy to shared memory, some stages ahead: a block on each
/// multiprocessor adds up the words of what it copies.

#include "problem.hpp"

namespace weft {

inline constexpr int words_of_kibibyte = 256;

/// A ring of stages in shared memory, and the pieces of their size that blocks take by turns.
struct Staged {
  int stages, kibibytes;
  std::int64_t warps;  ///< of a block that add up
  std::int64_t pieces, blocks;

  Staged(std::int64_t mebibytes, const Setting& setting, std::int64_t warps_of_block);

  [[nodiscard]] std::int64_t words() const { return pieces * kibibytes * words_of_kibibyte; }
  [[nodiscard]] int ring_bytes() const { return stages * kibibytes * 1024; }
};

/// Queues the kernel of a step.
using LaunchStaged = void (*)(cudaStream_t stream, const Staged& staged, const uint4* in,
                              std::uint32_t* sums);

/// A step with the axes `stages` and `kibibytes`, of a stage; its shape is the mebibytes that are read.
Variant sum_in_stages(const char* name, const Setting& setting, std::int64_t warps_of_block,
                      LaunchStaged launch, model::Prediction (*predict)(const Staged& staged));

}  // namespace weft
