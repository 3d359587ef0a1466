#pragma once

/// @file
/// What the steps that count wavefronts have in common: all warps go round in a table that lies in the L1 or
/// in shared memory, and ask for the next place when they have the last.

#include "problem.hpp"

namespace weft {

inline constexpr std::int64_t measured_loads = 16'384;  ///< of each warp
inline constexpr std::int64_t counted_loads = 16;

/// What a table holds at a place, or where a thread is in the end.
using PlaceOf = Function<std::uint32_t(std::int64_t)>;

/// Queues a kernel of full multiprocessors, each of whose warps loads so often.
/// @param next the table; @param last takes the place that each thread comes to in the end
using LaunchRound = Function<void(unsigned blocks, cudaStream_t stream, const std::uint32_t* next,
                                  std::uint32_t* last, std::int64_t loads)>;

/// All warps of the card, and the table that they go round in.
/// @param words of the table
/// @param next what the table holds; @param last where a thread is in the end
inline Owned<Problem> round_problem(std::int64_t words, const PlaceOf& next, const PlaceOf& last,
                                    const LaunchRound& launch, std::int64_t loads) {
  auto problem = make_owned<ArrayProblem>();
  auto& in = problem->input<std::uint32_t>("next", {words}, [=](auto, auto place) { return next(place); });
  auto& out = problem->output<std::uint32_t>("last", {threads_of_card()},
                                             [=](auto, auto thread) { return last(thread); });
  problem->launches([=, &in, &out](cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>(multiprocessors() * blocks_of_multiprocessor);
    launch(blocks, stream, in.data(), out.data(), loads);
  });
  return problem;
}

/// A roof that is rated by the wavefronts of one multiprocessor, of which one follows the other. Its shape is
/// the number of loads of each warp.
/// @param words,next,last as round_problem() takes them
/// @param wavefronts of a request
inline Variant wavefront_roof(const char* name, std::int64_t words, const PlaceOf& next, const PlaceOf& last,
                              int wavefronts, const LaunchRound& launch) {
  Variant made = roof(name, measured_loads, counted_loads);
  made.rated_by = Rating::accesses;
  made.amounts = [=](const Shape& shape) {
    return Amounts{.accesses = shape[0] * warps_of_multiprocessor * wavefronts};
  };
  made.make = [=](const Shape& shape) { return round_problem(words, next, last, launch, shape[0]); };
  return made;
}

}  // namespace weft
