#pragma once

/// @file
/// From virtual slots to places in a warp's frame.

#include <cstdint>
#include <vector>

#include "emulator/sketch/draft.hpp"

namespace weft::emulator {

struct FrameLayout {
  std::vector<std::uint32_t> offsets;  ///< of each virtual slot, in bytes
  std::uint32_t bytes = 0;
};

/// Gives each virtual slot a place. Slots whose values are never needed at the same time share one, so that
/// what a warp works on stays in the processor's first-level cache.
FrameLayout lay_out_frame(const Sketch& sketch);

}  // namespace weft::emulator
