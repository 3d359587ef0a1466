#pragma once

/// @file
/// *Predict*: what a kernel will do to memory, written as one line per memory instruction of its source.

#include <cstdint>
#include <utility>

#include "model/access.hpp"
#include "model/metrics.hpp"
#include "model/refuse.hpp"
#include "model/shared.hpp"

namespace weft::model {

/// Adds up what a kernel's warps do to memory.
///
/// @code
/// Metrics predict(std::int64_t rows, std::int64_t columns) {
///   const std::int64_t warps = rows * columns / warp_size;
///   return Prediction{}
///       .global_load(warps, 4, [](int lane) { return lane; })
///       .shared_store(warps, 4, [](int lane) { return lane; })
///       .shared_load(warps, 4, [](int lane) { return lane * 33; })
///       .global_store(warps, 4, [](int lane) { return lane; });
/// }
/// @endcode
///
/// Every line takes the number of warps that execute the instruction (times its executions in each), the
/// bytes that a lane accesses, and the element that a lane accesses, as Lanes takes it. The warps of a line
/// all do the same up to a shift that leaves the counts alone (whole sectors in global memory, whole words in
/// shared memory); warps at an edge, with fewer active lanes or another alignment, get a line of their own.
///
/// @throws std::invalid_argument if `warps` is negative or the width is none of 1, 2, 4, 8, 16
class Prediction {
 public:
  template <class ElementOfLane>
  constexpr Prediction& global_load(std::int64_t warps, int width, ElementOfLane&& element_of_lane) {
    const Lanes lanes(width, std::forward<ElementOfLane>(element_of_lane));
    return count(warps, {Metric::global_load_requests, requests(lanes)},
                 {Metric::global_load_sectors, sectors(lanes)});
  }

  template <class ElementOfLane>
  constexpr Prediction& global_store(std::int64_t warps, int width, ElementOfLane&& element_of_lane) {
    const Lanes lanes(width, std::forward<ElementOfLane>(element_of_lane));
    return count(warps, {Metric::global_store_requests, requests(lanes)},
                 {Metric::global_store_sectors, sectors(lanes)});
  }

  /// An atomic on global memory whose result is not used (`atomicAdd(p, x);`), 4 bytes per lane.
  template <class ElementOfLane>
  constexpr Prediction& global_reduction(std::int64_t warps, ElementOfLane&& element_of_lane) {
    const Lanes lanes(4, std::forward<ElementOfLane>(element_of_lane));
    return count(warps, {Metric::global_reduction_requests, requests(lanes)},
                 {Metric::global_reduction_sectors, reduction_sectors(lanes)});
  }

  template <class ElementOfLane>
  constexpr Prediction& shared_load(std::int64_t warps, int width, ElementOfLane&& element_of_lane) {
    const Lanes lanes(width, std::forward<ElementOfLane>(element_of_lane));
    return count(warps, {Metric::shared_load_requests, requests(lanes)},
                 {Metric::shared_load_wavefronts, shared_load_wavefronts(lanes)});
  }

  template <class ElementOfLane>
  constexpr Prediction& shared_store(std::int64_t warps, int width, ElementOfLane&& element_of_lane) {
    const Lanes lanes(width, std::forward<ElementOfLane>(element_of_lane));
    return count(warps, {Metric::shared_store_requests, requests(lanes)},
                 {Metric::shared_store_wavefronts, shared_store_wavefronts(lanes)});
  }

  /// An atomic on shared memory, 4 bytes per lane.
  template <class ElementOfLane>
  constexpr Prediction& shared_atomic(std::int64_t warps, ElementOfLane&& element_of_lane) {
    const Lanes lanes(4, std::forward<ElementOfLane>(element_of_lane));
    return count(warps, {Metric::shared_atomic_requests, requests(lanes)},
                 {Metric::shared_atomic_wavefronts, shared_atomic_wavefronts(lanes)});
  }

  /// The sums so far; implicit, so that a function that returns Metrics can return a chain of lines.
  constexpr operator Metrics() const { return metrics_; }  // NOLINT(google-explicit-constructor)

 private:
  struct PerWarp {
    Metric metric;
    int amount;
  };

  constexpr Prediction& count(std::int64_t warps, PerWarp first, PerWarp second) {
    if (warps < 0) refuse("a number of warps is not negative");
    for (const auto& [metric, amount] : {first, second}) {
      metrics_.add(metric, static_cast<std::uint64_t>(warps) * static_cast<std::uint64_t>(amount));
    }
    return *this;
  }

  Metrics metrics_;
};

}  // namespace weft::model
