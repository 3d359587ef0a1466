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

}  // namespace weft::emulator
