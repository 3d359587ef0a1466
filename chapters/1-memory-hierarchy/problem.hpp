#pragma once

/// @file
/// The roofs of a card: each step keeps one part of it busy, and nothing else, or waits for one part alone.
/// The other chapters work out from them what a kernel takes at least.

#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <cstdint>

#include "check/arrays.hpp"
#include "device/attribute.hpp"
#include "kernel/grid.hpp"
#include "model/prediction.hpp"
#include "step/axes.hpp"
#include "step/step.hpp"

namespace weft {

// [full]
/// As many warps as a multiprocessor holds: two blocks of this size.
inline constexpr dim3 full_block{1024};
inline constexpr int blocks_of_multiprocessor = 2;
inline constexpr int warps_of_multiprocessor = 64;
// [full]

/// The threads that all multiprocessors hold at a time.
std::int64_t threads_of_card();

/// A roof with what all of them have in common; its shape is one number.
Variant roof(const char* name, std::int64_t measured, std::int64_t counted);

}  // namespace weft

using namespace weft;  // a step is a program of its own
