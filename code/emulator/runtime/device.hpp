#pragma once

/// @file
/// The emulated device: an NVIDIA H200.

#include <cstdint>

namespace weft::emulator {

inline constexpr std::uint64_t device_bytes = std::uint64_t{141} * 1'000'000'000;
inline constexpr std::uint64_t most_shared_bytes_per_block = 227U << 10;

}  // namespace weft::emulator
