#pragma once

/// @file
/// *Predict*: what a kernel will do to memory, written as one line per memory instruction of its source.

#include <cstdint>
#include <utility>
#include <vector>

#include "model/access.hpp"
#include "model/metrics.hpp"
#include "model/refuse.hpp"
#include "model/shared.hpp"

namespace weft::model {

/// The memory instructions that a prediction knows.
enum class Operation : std::uint8_t {
  global_load,
  global_store,
  global_reduction,
  shared_load,
  shared_store,
  shared_atomic,
};

/// One line of a prediction: a memory instruction, and what the lanes of each warp that executes it access.
struct Line {
  Operation operation;
  std::int64_t warps;  ///< that execute it, times the executions in each
  Lanes lanes;
};

/// What a kernel's warps do to memory, line by line, and what that counts.
///
/// @code
/// Prediction predict(std::int64_t rows, std::int64_t columns) {
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
    return add({Operation::global_load, warps, lanes}, {Metric::global_load_requests, requests(lanes)},
               {Metric::global_load_sectors, sectors(lanes)});
  }

  template <class ElementOfLane>
  constexpr Prediction& global_store(std::int64_t warps, int width, ElementOfLane&& element_of_lane) {
    const Lanes lanes(width, std::forward<ElementOfLane>(element_of_lane));
    return add({Operation::global_store, warps, lanes}, {Metric::global_store_requests, requests(lanes)},
               {Metric::global_store_sectors, sectors(lanes)});
  }

  /// An atomic on global memory whose result is not used (`atomicAdd(p, x);`), 4 bytes per lane.
  template <class ElementOfLane>
  constexpr Prediction& global_reduction(std::int64_t warps, ElementOfLane&& element_of_lane) {
    const Lanes lanes(4, std::forward<ElementOfLane>(element_of_lane));
    return add({Operation::global_reduction, warps, lanes},
               {Metric::global_reduction_requests, requests(lanes)},
               {Metric::global_reduction_sectors, reduction_sectors(lanes)});
  }

  template <class ElementOfLane>
  constexpr Prediction& shared_load(std::int64_t warps, int width, ElementOfLane&& element_of_lane) {
    const Lanes lanes(width, std::forward<ElementOfLane>(element_of_lane));
    return add({Operation::shared_load, warps, lanes}, {Metric::shared_load_requests, requests(lanes)},
               {Metric::shared_load_wavefronts, shared_load_wavefronts(lanes)});
  }

  /// A shared load that is issued, and that no lane executes: a counter of instructions counts it all the
  /// same.
  constexpr Prediction& skipped_shared_load(std::int64_t warps) {
    const Lanes none(4, [](int) { return Element{}; });
    return add({Operation::shared_load, warps, none}, {Metric::shared_load_requests, 1},
               {Metric::shared_load_wavefronts, 0});
  }

  template <class ElementOfLane>
  constexpr Prediction& shared_store(std::int64_t warps, int width, ElementOfLane&& element_of_lane) {
    const Lanes lanes(width, std::forward<ElementOfLane>(element_of_lane));
    return add({Operation::shared_store, warps, lanes}, {Metric::shared_store_requests, requests(lanes)},
               {Metric::shared_store_wavefronts, shared_store_wavefronts(lanes)});
  }

  /// An atomic on shared memory, 4 bytes per lane.
  template <class ElementOfLane>
  constexpr Prediction& shared_atomic(std::int64_t warps, ElementOfLane&& element_of_lane) {
    const Lanes lanes(4, std::forward<ElementOfLane>(element_of_lane));
    return add({Operation::shared_atomic, warps, lanes}, {Metric::shared_atomic_requests, requests(lanes)},
               {Metric::shared_atomic_wavefronts, shared_atomic_wavefronts(lanes)});
  }

  [[nodiscard]] constexpr const std::vector<Line>& lines() const { return lines_; }

  /// What all lines count.
  [[nodiscard]] constexpr const Metrics& metrics() const { return metrics_; }
  constexpr operator Metrics() const { return metrics_; }  // NOLINT(google-explicit-constructor)
  constexpr std::uint64_t operator[](Metric metric) const { return metrics_[metric]; }

 private:
  struct PerWarp {
    Metric metric;
    int amount;
  };

  constexpr Prediction& add(const Line& line, PerWarp first, PerWarp second) {
    if (line.warps < 0) refuse("a number of warps is not negative");
    lines_.push_back(line);
    for (const auto& [metric, amount] : {first, second}) {
      metrics_.add(metric, static_cast<std::uint64_t>(line.warps) * static_cast<std::uint64_t>(amount));
    }
    return *this;
  }

  std::vector<Line> lines_;
  Metrics metrics_;
};

}  // namespace weft::model
