#pragma once

/// @file
/// The seam between the runtime and the machine: one kernel, launched once.

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/count/access.hpp"
#include "emulator/execute/block.hpp"
#include "emulator/operation/routine.hpp"

namespace weft::emulator {

/// How a kernel is launched.
struct Launch {
  const Routine* kernel = nullptr;
  Extents grid, block, cluster;
  std::uint32_t dynamic_shared = 0;       ///< bytes per block
  std::span<const std::byte> parameters;  ///< laid out as the kernel's PTX declares them
  bool cooperative = false;               ///< all blocks are there at once
  bool checked = true;                    ///< for races and the like, unless nothing is
  std::uint32_t resident_blocks = 132;    ///< that a card would run at a time
  std::string* output = nullptr;          ///< takes what the kernel prints; may be null
};

/// What one memory instruction of a kernel did in one launch.
struct SiteCount {
  std::uint64_t requests = 0;        ///< times that a warp executed it with an active lane
  std::uint64_t units = 0;           ///< sectors in global memory, wavefronts in shared memory
  std::uint64_t tags = 0, data = 0;  ///< the L1's wavefronts of loads and stores in global memory
  bool beyond_rule = false;          ///< the rule for the units has exceptions for what it saw
};

/// Runs a kernel to its end, on all processors that the process may use.
/// @param sites of the program that the kernel belongs to
/// @return a count for each of the sites
/// @throws Fault if a thread does something wrong; blocks that had not started do not run then
std::vector<SiteCount> run(const Launch& launch, const std::vector<Site>& sites);

/// The processors that kernels run on; WEFT_EMULATOR_THREADS, if set, says how many.
int worker_count();

}  // namespace weft::emulator
