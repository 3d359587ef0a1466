#pragma once

/// @file
/// *Predict*: what a kernel will do to memory, written as one line per memory instruction of its source.

#include <cstdint>
#include <utility>

#include "model/access.hpp"
#include "model/l1.hpp"
#include "model/list.hpp"
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
  Operation operation{};
  std::int64_t warps = 0;  ///< that execute it, times the executions in each
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
    all_placed_ = all_placed_ && warps == 0;
    return add_global_load(warps, Lanes(width, std::forward<ElementOfLane>(element_of_lane)));
  }

  /// The same for warps whose places are told, since tag wavefronts depend on them: warp w accesses the
  /// elements of `element_of_lane`, moved by `start_of_warp(w % places)`. They count from a base that is
  /// aligned as tag_wavefronts() says. If all global loads are such, the prediction has
  /// Metric::load_tag_wavefronts.
  /// @throws std::invalid_argument if `warps` is no multiple of `places`
  template <class ElementOfLane, class StartOfWarp>
  constexpr Prediction& global_load(std::int64_t warps, int width, ElementOfLane&& element_of_lane,
                                    std::int64_t places, StartOfWarp&& start_of_warp) {
    if (places < 1 || warps % places != 0) refuse("as many warps of a load start at each place");
    std::int64_t wavefronts = 0;
    for (std::int64_t place = 0; place < places; ++place) {
      const std::int64_t start = start_of_warp(place);
      wavefronts += tag_wavefronts(Lanes(width, [&](int lane) -> Element {
        const Element element = element_of_lane(lane);
        return element ? Element(*element + start) : element;
      }));
    }
    tag_wavefronts_ += static_cast<std::uint64_t>(warps / places * wavefronts);
    return add_global_load(warps, Lanes(width, std::forward<ElementOfLane>(element_of_lane)));
  }

  /// The warps that are launched, and how many of threadIdx.x, .y and .z the kernel reads: a data wavefront
  /// brings each to a warp. With it the prediction has Metric::data_wavefronts, as if each global load found
  /// its lines in the L1.
  constexpr Prediction& launch(std::int64_t warps, int thread_numbers) {
    data_wavefronts_ += static_cast<std::uint64_t>(warps) * static_cast<std::uint64_t>(thread_numbers);
    launch_known_ = true;
    return *this;
  }

  template <class ElementOfLane>
  constexpr Prediction& global_store(std::int64_t warps, int width, ElementOfLane&& element_of_lane) {
    const Lanes lanes(width, std::forward<ElementOfLane>(element_of_lane));
    add_data(warps, data_wavefronts(lanes));
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
    const int wavefronts = shared_load_wavefronts(lanes);
    add_data(warps, wavefronts);
    return add({Operation::shared_load, warps, lanes}, {Metric::shared_load_requests, requests(lanes)},
               {Metric::shared_load_wavefronts, wavefronts});
  }

  /// A shared load that is issued, and that no lane executes: a counter of instructions counts it all the
  /// same.
  constexpr Prediction& skipped_shared_load(std::int64_t warps) {
    return add({Operation::shared_load, warps, {}}, {Metric::shared_load_requests, 1},
               {Metric::shared_load_wavefronts, 0});
  }

  /// The same of a shared store.
  constexpr Prediction& skipped_shared_store(std::int64_t warps) {
    const Lanes none(4, [](int) { return Element{}; });
    return add({Operation::shared_store, warps, none}, {Metric::shared_store_requests, 1},
               {Metric::shared_store_wavefronts, 0});
  }

  template <class ElementOfLane>
  constexpr Prediction& shared_store(std::int64_t warps, int width, ElementOfLane&& element_of_lane) {
    const Lanes lanes(width, std::forward<ElementOfLane>(element_of_lane));
    const int wavefronts = shared_store_wavefronts(lanes);
    add_data(warps, wavefronts);
    return add({Operation::shared_store, warps, lanes}, {Metric::shared_store_requests, requests(lanes)},
               {Metric::shared_store_wavefronts, wavefronts});
  }

  /// An atomic on shared memory, 4 bytes per lane.
  template <class ElementOfLane>
  constexpr Prediction& shared_atomic(std::int64_t warps, ElementOfLane&& element_of_lane) {
    const Lanes lanes(4, std::forward<ElementOfLane>(element_of_lane));
    const int wavefronts = shared_atomic_wavefronts(lanes);
    add_data(warps, wavefronts);
    return add({Operation::shared_atomic, warps, lanes}, {Metric::shared_atomic_requests, requests(lanes)},
               {Metric::shared_atomic_wavefronts, wavefronts});
  }

  [[nodiscard]] constexpr const List<Line>& lines() const { return lines_; }

  /// What all lines count.
  [[nodiscard]] constexpr Metrics metrics() const {
    Metrics all = metrics_;
    if (tag_wavefronts_ != 0 && all_placed_) all.add(Metric::load_tag_wavefronts, tag_wavefronts_);
    if (launch_known_) all.add(Metric::data_wavefronts, data_wavefronts_);
    return all;
  }
  constexpr operator Metrics() const { return metrics(); }  // NOLINT(google-explicit-constructor)
  constexpr std::uint64_t operator[](Metric metric) const { return metrics()[metric]; }

 private:
  struct PerWarp {
    Metric metric;
    int amount;
  };

  constexpr Prediction& add_global_load(std::int64_t warps, const Lanes& lanes) {
    add_data(warps, data_wavefronts(lanes));
    return add({Operation::global_load, warps, lanes}, {Metric::global_load_requests, requests(lanes)},
               {Metric::global_load_sectors, sectors(lanes)});
  }

  constexpr void add_data(std::int64_t warps, int wavefronts) {
    data_wavefronts_ += static_cast<std::uint64_t>(warps) * static_cast<std::uint64_t>(wavefronts);
  }

  constexpr Prediction& add(const Line& line, PerWarp first, PerWarp second) {
    if (line.warps < 0) refuse("a number of warps is not negative");
    lines_.push_back(line);
    for (const auto& [metric, amount] : {first, second}) {
      metrics_.add(metric, static_cast<std::uint64_t>(line.warps) * static_cast<std::uint64_t>(amount));
    }
    return *this;
  }

  List<Line> lines_;
  Metrics metrics_;
  std::uint64_t tag_wavefronts_ = 0;   // of the loads whose places are known
  std::uint64_t data_wavefronts_ = 0;  // of all lines, and of the start of warps
  bool all_placed_ = true;
  bool launch_known_ = false;
};

}  // namespace weft::model
