#pragma once

/// @file
/// Claims about what a kernel does, held against what it did: the emulator counts every launch.

#include "model/metrics.hpp"
#include "step/vocabulary.hpp"

namespace weft {

/// Whether launches are counted here. If not, the test case says that it skips its claims.
bool can_count();

/// Counts what is launched from its making on.
class LaunchCounter {
 public:
  /// @throws CudaError if a launch before failed
  LaunchCounter();

  /// @return what was counted since; a metric that no launch added to is not listed
  /// @throws CudaError if a launch failed
  [[nodiscard]] model::Metrics counted() const;

  /// The same for a claim, which must not hold because nothing was launched: fails the test case then.
  [[nodiscard]] model::Metrics counted_something() const;

 private:
  model::Metrics before_;
};

/// One launch of this program's step.
/// @param parameters of the variant; the first variant that has them is launched
/// @throws std::invalid_argument if no variant has these parameters
model::Metrics count_launch(const Shape& shape, const Parameters& parameters);

// [with-counts]
/// Launches something and checks claims about what it counted, requests, sectors and wavefronts.
///
/// Only the emulator counts. On a GPU, and where there is neither, nothing is launched: the test case says
/// that it skipped its claims, and the program says at its end how many.
/// @param launch launches kernels; need not wait for their end
/// @param claims called once, with the metrics; one that no launch added to is 0
/// @throws CudaError if a launch failed
template <typename Launch, typename Claims>
void with_counts(const Launch& launch, const Claims& claims) {
  if (!can_count()) return;
  const LaunchCounter counter;
  launch();
  claims(counter.counted_something());
}

/// The same for one launch of this program's step.
/// @param parameters of the variant; the first variant that has them is launched
/// @throws std::invalid_argument if no variant has these parameters
template <typename Claims>
void with_counts(const Shape& shape, const Claims& claims, const Parameters& parameters = {}) {
  if (can_count()) claims(count_launch(shape, parameters));
}
// [with-counts]

/// How often claims were skipped for want of counters.
int skipped_claims();

}  // namespace weft
