#pragma once

/// @file
/// The same measurement from several rounds, as one.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "benchmark/results.hpp"

namespace weft {

/// Collects what programs measured. Rounds are pooled sample by sample, so that a drift of the GPU falls on
/// ceilings, peers and steps alike.
class Pool {
 public:
  /// Adds what one run of a program wrote: a list of measurements with all their samples.
  /// @throws std::runtime_error if it is no such list; nothing of it is then added
  void add(std::string_view program_output);

  /// Whether nothing was measured yet.
  [[nodiscard]] bool empty() const { return latest_.empty(); }

  /// All measurements in the order in which they first came, with median, 5th and 95th percentile of the
  /// pooled samples.
  [[nodiscard]] std::vector<Json> measurements() const;

 private:
  std::vector<Json> latest_;                          // one of each, as the latest round wrote it
  std::map<std::string, std::vector<double>> times_;  // of each, all rounds
};

}  // namespace weft
