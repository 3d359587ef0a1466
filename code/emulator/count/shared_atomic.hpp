#pragma once

/// @file
/// Atomics in shared memory, as Nsight Compute counted them on an NVIDIA H200.

#include <array>
#include <cstdint>

#include "model/access.hpp"

namespace weft::emulator {

/// Wavefronts of an atomic that shared memory carries out itself: the most lanes at one bank, equal addresses
/// each; 8 bytes take two phases of 16 lanes.
int native_atomic_wavefronts(const model::Lanes& lanes);

/// Wavefronts of a compare-and-swap that tells whether it swapped: two for each phase with an active lane.
int shared_swap_wavefronts(const model::Lanes& lanes);

/// The lanes whose compare-and-swap succeeds when all have loaded before: the first at each bank, in each
/// phase; but none whose word another lane has changed in an earlier phase.
std::uint32_t swapping_lanes(const std::array<std::uint64_t, 32>& addresses, std::uint32_t active, int bytes);

}  // namespace weft::emulator
