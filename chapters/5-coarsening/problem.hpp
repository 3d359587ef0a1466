#pragma once

/// @file
/// What the steps of this chapter have in common, whatever they solve.

#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <utility>

#include "check/arrays.hpp"
#include "check/counted.hpp"
#include "device/attribute.hpp"
#include "kernel/grid.hpp"
#include "model/prediction.hpp"
#include "step/axes.hpp"
#include "step/step.hpp"

namespace weft {

/// Lanes side by side.
inline constexpr auto own_lane = [](int lane) { return lane; };

/// The first lane of a warp alone.
inline constexpr auto first_lane = [](int lane) { return lane == 0 ? model::Element(0) : model::Element(); };

}  // namespace weft

using namespace weft;  // a step is a program of its own
