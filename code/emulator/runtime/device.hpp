#pragma once

/// @file
/// The emulated device.

#include "model/cards.hpp"

namespace weft::emulator {

/// The card that the environment names; an NVIDIA H200 if it names none.
const model::Card& card();

}  // namespace weft::emulator
