#pragma once

/// @file
/// A ring of numbers, each the place of the next; a walk writes down the places that it comes to.

#include <doctest/doctest.h>

#include "check/arrays.hpp"
#include "check/counted.hpp"

namespace weft {

/// A walk to as many places as there are, each `stride` after the one before it.
inline Variant walk(const char* name, const Setting& setting, auto launch) {
  const std::int64_t stride = setting.number();
  Variant made(name, setting);
  made.checked = {{0}, {1}, {33}, {1000}};
  made.measured = {{65'536}};
  made.counted = {{1024}};
  made.amounts = [](const Shape& shape) { return Amounts{.bytes = 8 * shape[0], .accesses = shape[0]}; };
  made.make = [=](const Shape& shape) {
    const std::int64_t size = shape[0];
    auto problem = make_owned<ArrayProblem>();
    auto& next = problem->input<int>("next", shape, [=](auto, auto i) { return (i + stride) % size; });
    auto& places =
        problem->output<int>("places", shape, [=](auto, auto i) { return (i + 1) * stride % size; });
    problem->launches([=, &next, &places, cycles = problem->numbers()](cudaStream_t stream) {
      if (size > 0) launch(stream, next.data(), places.data(), size, stride, cycles);
    });
    return problem;
  };
  return made;
}

}  // namespace weft

using namespace weft;
