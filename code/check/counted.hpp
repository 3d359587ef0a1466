#pragma once

/// @file
/// Claims about what a kernel does, held against what it did: the emulator counts every launch.

#include <functional>

#include "check/step.hpp"
#include "model/metrics.hpp"

namespace weft {

/// What a test case says of the counters of a launch.
using Claims = std::function<void(const model::Metrics& counted)>;

// [with-counts]
/// Launches something and checks claims about what it counted, requests, sectors and wavefronts.
///
/// Only the emulator counts. On a GPU, and where there is neither, nothing is launched: the test case says
/// that it skipped its claims, and the program says at its end how many.
/// @param launch launches kernels; need not wait for their end
/// @param claims called once; a metric that no launch added to is 0
/// @throws CudaError if a launch failed
void with_counts(const std::function<void()>& launch, const Claims& claims);

/// The same for one launch of this program's step.
/// @param parameters of the variant; the first variant that has them is launched
/// @throws std::invalid_argument if no variant has these parameters
void with_counts(const Shape& shape, const Claims& claims, const Parameters& parameters = {});
// [with-counts]

/// How often claims were skipped for want of counters.
int skipped_claims();

}  // namespace weft
