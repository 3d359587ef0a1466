#pragma once

/// @file
/// What the steps that compute have in common: each thread has chains of multiply-adds that count themselves.

#include "problem.hpp"

namespace weft {

inline constexpr int chains = 8;  ///< that do not wait for one another

/// Queues a kernel of full multiprocessors.
/// @param one,zero not for the compiler to see
using LaunchTurns = void (*)(unsigned blocks, cudaStream_t stream, int turns, float one, int zero,
                             float* sums);

/// A roof whose shape is the turns of each thread's loop.
/// @param sum what a thread has in the end
inline Variant arithmetic_roof(const char* name, float (*sum)(std::int64_t thread, std::int64_t turns),
                               LaunchTurns launch) {
  Variant made = roof(name, 1024, 2);
  made.make = [=](const Shape& shape) {
    auto problem = make_owned<ArrayProblem>();
    auto& sums = problem->output<float>("sums", {threads_of_card()},
                                        [=](auto, auto thread) { return sum(thread, shape[0]); });
    problem->launches([=, &sums](cudaStream_t stream) {
      const auto blocks = static_cast<unsigned>(multiprocessors() * blocks_of_multiprocessor);
      launch(blocks, stream, static_cast<int>(shape[0]), 1, 0, sums.data());
    });
    return problem;
  };
  made.predict = [](const Shape&) {
    const std::int64_t warps = threads_of_card() / model::warp_size;
    return model::Prediction{}.global_store(warps, 4, [](int lane) { return lane; });
  };
  return made;
}

}  // namespace weft
