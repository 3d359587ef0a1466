#pragma once

/// @file
/// The counters in whose terms the three witnesses speak, and what was predicted for them.

#include <cstddef>
#include <cstdint>

namespace weft::model {

/// The counters that the model predicts, each by what it counts, in the alphabetical order of
/// Nsight Compute's names; name() in metric_names.hpp gives those.
enum class Metric : std::uint8_t {
  data_wavefronts,  ///< of the L1, for all kinds of memory
  shared_atomic_wavefronts,
  load_tag_wavefronts,  ///< of the L1, for global loads
  global_load_requests,
  global_reduction_requests,
  global_store_requests,
  global_load_sectors,
  global_reduction_sectors,
  global_store_sectors,
  shared_atomic_requests,
  shared_load_requests,
  shared_store_requests,
  shared_load_wavefronts,
  shared_store_wavefronts,
};

inline constexpr std::size_t metric_count = static_cast<std::size_t>(Metric::shared_store_wavefronts) + 1;

/// Counts by metric: an ordered map from a metric to a number, to be read with
/// `for (const auto& [metric, value] : metrics)`. A metric that nothing was added to is not listed, and is 0.
class Metrics {
 public:
  /// One line of the map.
  struct Entry {
    Metric metric{};
    std::uint64_t value = 0;
    constexpr bool operator==(const Entry&) const = default;
  };

  /// Adds to a metric; adding 0 lists it.
  constexpr void add(Metric metric, std::uint64_t amount) {
    const std::size_t at = place_of(metric);
    if (at == size_ || entries_[at].metric != metric) {
      for (std::size_t i = size_++; i > at; --i) entries_[i] = entries_[i - 1];
      entries_[at] = {metric};
    }
    entries_[at].value += amount;
  }

  /// The value of a metric; 0 if nothing was added to it.
  constexpr std::uint64_t operator[](Metric metric) const {
    const std::size_t at = place_of(metric);
    return at < size_ && entries_[at].metric == metric ? entries_[at].value : 0;
  }

  [[nodiscard]] constexpr const Entry* begin() const { return entries_; }
  [[nodiscard]] constexpr const Entry* end() const { return entries_ + size_; }
  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }

  constexpr bool operator==(const Metrics&) const = default;

 private:
  /// Where a metric is listed, or would be.
  [[nodiscard]] constexpr std::size_t place_of(Metric metric) const {
    std::size_t at = 0;
    while (at < size_ && entries_[at].metric < metric) ++at;
    return at;
  }

  Entry entries_[metric_count]{};
  std::size_t size_ = 0;
};

}  // namespace weft::model
