#pragma once

/// @file
/// What a step reports of one launch that is more than a number: a map, a trace.

#include <cstdint>

#include "step/function.hpp"
#include "step/vocabulary.hpp"

namespace weft {

class Problem;

/// Integers on a grid, the last axis running fastest.
struct Grid {
  Numbers lengths;  ///< of each axis
  Numbers values;
};

/// Integers on a grid that a step reports beside its time: those of the last launch that was timed. Rounds
/// are not pooled: the latest stands.
struct Series {
  Name name;        ///< kebab-case: `latencies`
  Name unit;        ///< `cycles`, `1`
  List<Name> axes;  ///< what its values are counted by: `multiprocessor`, `line`
  Origin origin = Origin::clock;
  Function<Grid(Problem&)> read;  ///< after a launch that has ended
};

/// What a series holds.
/// @throws std::runtime_error if it has other axes than the series says, or not one value for each place
Grid read(const Series& series, Problem& problem);

}  // namespace weft
