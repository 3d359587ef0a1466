#pragma once

/// @file
/// What the steps of this chapter have in common: bytes that must be on their way, and who asks for them.

#include <cuda_runtime.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <utility>

#include "check/arrays.hpp"
#include "device/attribute.hpp"
#include "kernel/grid.hpp"
#include "model/prediction.hpp"
#include "step/axes.hpp"
#include "step/step.hpp"

namespace weft {

/// An input's word, whose sums are easy to foretell.
std::uint32_t word(std::uint64_t seed, std::int64_t index);

/// The sum of the words [first, first + count).
std::uint32_t sum_of_words(std::uint64_t seed, std::int64_t first, std::int64_t count);

/// Lanes side by side.
inline constexpr auto own_lane = [](int lane) { return lane; };

/// The first lane of a warp alone.
inline constexpr auto first_lane = [](int lane) { return lane == 0 ? model::Element(0) : model::Element(); };

/// The loads of `count` elements of so many bytes, by lanes side by side; the last of them may be fewer than
/// a warp's.
void predict_loads(model::Prediction& prediction, std::int64_t count, int width);

}  // namespace weft

using namespace weft;  // a step is a program of its own
