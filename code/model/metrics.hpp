#pragma once

/// @file
/// The vocabulary of the three witnesses: Nsight Compute's metric names, and what was predicted for them.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weft::model {

/// The counters that the model predicts, each by what it counts; name() gives Nsight Compute's name.
enum class Metric : std::uint8_t {
  shared_atomic_wavefronts,
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

/// Nsight Compute's names, in the order of Metric, which is alphabetical.
inline constexpr std::array<std::string_view, 12> metric_names{
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "smsp__inst_executed_op_shared_atom.sum",
    "smsp__inst_executed_op_shared_ld.sum",
    "smsp__inst_executed_op_shared_st.sum",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
};

/// Nsight Compute's name of a metric.
constexpr std::string_view name(Metric metric) { return metric_names[static_cast<std::size_t>(metric)]; }

/// Counts by metric: an ordered map from Nsight Compute's name to a number, to be read with
/// `for (const auto& [name, value] : metrics)`. A metric that nothing was added to is not listed, and is 0.
class Metrics {
 public:
  /// One line of the map.
  struct Entry {
    std::string_view name;
    std::uint64_t value = 0;
    constexpr bool operator==(const Entry&) const = default;
  };

  /// Adds to a metric; adding 0 lists it.
  constexpr void add(Metric metric, std::uint64_t amount) {
    Entry* entry =
        std::ranges::lower_bound(entries_.data(), entries_.data() + size_, name(metric), {}, &Entry::name);
    if (entry == end() || entry->name != name(metric)) {
      for (Entry* place = entries_.data() + size_; place != entry; --place) *place = *(place - 1);
      *entry = {name(metric)};
      ++size_;
    }
    entry->value += amount;
  }

  /// The value of a metric; 0 if nothing was added to it.
  constexpr std::uint64_t operator[](Metric metric) const {
    const Entry* entry = std::ranges::lower_bound(*this, name(metric), {}, &Entry::name);
    return entry != end() && entry->name == name(metric) ? entry->value : 0;
  }

  [[nodiscard]] constexpr const Entry* begin() const { return entries_.data(); }
  [[nodiscard]] constexpr const Entry* end() const { return entries_.data() + size_; }
  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }

  constexpr bool operator==(const Metrics&) const = default;

 private:
  std::array<Entry, metric_names.size()> entries_{};
  std::size_t size_ = 0;
};

}  // namespace weft::model
