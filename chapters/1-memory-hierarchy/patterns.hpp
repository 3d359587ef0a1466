#pragma once

/// @file
/// What the steps that load in patterns have in common: lane l of each warp loads element stride · l of a
/// table, which tells it that it shall load the same again.

#include "wavefronts.hpp"

namespace weft {

/// The bytes of an element, and how many elements lie between the places of neighbouring lanes.
inline Axes patterns() {
  return Axes()
      .with("width", {4, 8, 16})
      .with("stride", {1, 0, 2, 3, 4, 5, 6, 8, 12, 16, 17, 24, 28, 32, 33});
}

inline constexpr int most_elements = 2048;  ///< of a table, enough for every pattern

/// The sum of an element's words, of which all but the first are zero: it waits for all of them.
__device__ inline std::uint32_t sum_of(std::uint32_t one) { return one; }
__device__ inline std::uint32_t sum_of(uint2 two) { return two.x + two.y; }
__device__ inline std::uint32_t sum_of(uint4 four) { return four.x + four.y + four.z + four.w; }

/// Queues a kernel of full multiprocessors, each of whose warps loads so often in a pattern.
using LaunchPattern = void (*)(unsigned blocks, cudaStream_t stream, const std::uint32_t* next,
                               std::uint32_t* last, std::int64_t loads, int stride);

/// What the lanes of a warp load.
/// @param first the table's first byte, from where addresses count
inline model::Lanes lanes_of(const Setting& setting, std::int64_t first = 0) {
  const int width = setting.number("width");
  const int stride = setting.number("stride");
  return {width, [=](int lane) { return first / width + std::int64_t{lane} * stride; }};
}

/// A point of a curve: rated by the requests of one multiprocessor, of which one follows the other.
/// @param words of the table
/// @param cycles the least that a request takes by the model
inline Variant pattern_variant(const char* name, const Setting& setting, std::int64_t words, int cycles,
                               LaunchPattern launch) {
  const int stride = setting.number("stride");
  const int words_of_element = setting.number("width") / 4;
  const PlaceOf next = [=](std::int64_t word) {
    return word % words_of_element == 0 ? static_cast<std::uint32_t>(word / words_of_element) : 0;
  };
  const PlaceOf last = [=](std::int64_t thread) {
    return static_cast<std::uint32_t>(thread % model::warp_size * stride);
  };
  const LaunchRound round = [=](unsigned blocks, cudaStream_t stream, const std::uint32_t* from,
                                std::uint32_t* to,
                                std::int64_t loads) { launch(blocks, stream, from, to, loads, stride); };
  Variant made(name, setting);
  made.curve = true;
  made.checked = {{0}, {counted_loads}};
  made.measured = {{measured_loads}};
  made.counted = {{counted_loads}};
  made.rated_by = Rating::accesses;
  made.amounts = [](const Shape& shape) { return Amounts{.accesses = shape[0] * warps_of_multiprocessor}; };
  made.make = [=](const Shape& shape) { return round_problem(words, next, last, round, shape[0]); };
  made.quantities = {
      {"foretold", "cycles", Origin::device, [=](Problem&) { return static_cast<double>(cycles); }}};
  return made;
}

}  // namespace weft
