#pragma once

/// @file
/// What the steps that count wavefronts have in common: all warps go round in a table that lies in the L1 or
/// in shared memory, and ask for the next place when they have the last.

#include "problem.hpp"

namespace weft {

inline constexpr std::int64_t measured_loads = 16'384;  ///< of each warp
inline constexpr std::int64_t counted_loads = 16;

/// Queues a kernel of full multiprocessors, each of whose warps loads so often.
/// @param next the table; @param last takes the place that each thread comes to in the end
using LaunchRound = void (*)(unsigned blocks, cudaStream_t stream, const std::uint32_t* next,
                             std::uint32_t* last, std::int64_t loads);

/// A roof that is rated by the wavefronts of one multiprocessor, of which one follows the other. Its shape is
/// the number of loads of each warp.
/// @param table how many places it has
/// @param next what it holds at a place
/// @param last where a thread is in the end
/// @param wavefronts of a request
inline Variant wavefront_roof(const char* name, std::int64_t table, std::uint32_t (*next)(std::int64_t place),
                              std::uint32_t (*last)(std::int64_t thread), int wavefronts,
                              LaunchRound launch) {
  Variant made = roof(name, measured_loads, counted_loads);
  made.rated_by = Rating::accesses;
  made.amounts = [=](const Shape& shape) {
    return Amounts{.accesses = shape[0] * warps_of_multiprocessor * wavefronts};
  };
  made.make = [=](const Shape& shape) {
    auto problem = make_owned<ArrayProblem>();
    auto& in = problem->input<std::uint32_t>("next", {table}, [=](auto, auto place) { return next(place); });
    auto& out = problem->output<std::uint32_t>("last", {threads_of_card()},
                                               [=](auto, auto thread) { return last(thread); });
    problem->launches([=, &in, &out](cudaStream_t stream) {
      const auto blocks = static_cast<unsigned>(multiprocessors() * blocks_of_multiprocessor);
      launch(blocks, stream, in.data(), out.data(), shape[0]);
    });
    return problem;
  };
  return made;
}

}  // namespace weft
