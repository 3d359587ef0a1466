#pragma once

/// @file
/// Generic addresses. A pointer to global memory is the host's own; shared and local memory, of which every
/// block and every thread has its own, appear at two windows where the host has nothing.

#include <cstdint>

namespace weft::emulator {

inline constexpr std::uint64_t window_bytes = std::uint64_t{16} << 20;

/// Where shared memory appears; the window of local memory follows right behind.
std::uint64_t shared_window();

inline std::uint64_t local_window() { return shared_window() + window_bytes; }

/// An address in a cluster's shared memory: the block's own as it is, that of the block of a rank with the
/// rank, counted from one, above these bits.
inline constexpr int shared_address_bits = 18;
inline constexpr std::uint64_t shared_address_mask = (std::uint64_t{1} << shared_address_bits) - 1;

}  // namespace weft::emulator
