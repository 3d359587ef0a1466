#pragma once

/// @file
/// The emulated device.

#include <cstdint>

#include "model/cards.hpp"

namespace weft::emulator {

/// The card that the environment names; an NVIDIA H200 if it names none.
const model::Card& card();

/// Shared memory that a block can have without asking for more.
inline constexpr std::int64_t default_shared_bytes = std::int64_t{48} << 10;

}  // namespace weft::emulator
