#pragma once

/// @file
/// Little's law for a memory whose latency grows with its load: bytes on their way = bandwidth × latency
/// (J. D. C. Little, "A Proof for the Queuing Formula L = λW", Operations Research 9, 1961).

#include <algorithm>
#include <cstddef>
#include <span>

#include "model/refuse.hpp"

namespace weft::model {

/// What a load takes while so much moves.
struct LoadedLatency {
  double bandwidth;  ///< in bytes a second
  double latency;    ///< in seconds
};

/// The bandwidth at which so many bytes are on their way. Between two points of the curve the latency grows
/// evenly with the bandwidth; below the first one it stays, and beyond the last the bandwidth does.
/// @param curve measured points, the bandwidth and its product with the latency rising
/// @param bytes on their way in the whole card, at least 0
/// @return bytes a second
/// @throws std::invalid_argument if there is no point, or the product does not rise
constexpr double bandwidth_with(std::span<const LoadedLatency> curve, double bytes) {
  if (curve.empty()) refuse("a curve has at least one point");
  const auto on_their_way = [](const LoadedLatency& point) { return point.bandwidth * point.latency; };
  for (std::size_t i = 1; i < curve.size(); ++i) {
    if (on_their_way(curve[i]) <= on_their_way(curve[i - 1])) refuse("more load is more bytes on their way");
  }
  if (bytes <= on_their_way(curve.front())) return bytes / curve.front().latency;
  if (bytes >= on_their_way(curve.back())) return curve.back().bandwidth;
  std::size_t next = 1;
  while (on_their_way(curve[next]) < bytes) ++next;
  const LoadedLatency& below = curve[next - 1];
  const LoadedLatency& above = curve[next];
  const double slope = (above.latency - below.latency) / (above.bandwidth - below.bandwidth);
  double least = below.bandwidth;
  double most = above.bandwidth;
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = (least + most) / 2;
    const double latency = below.latency + slope * (middle - below.bandwidth);
    (middle * latency < bytes ? least : most) = middle;
  }
  return most;
}

/// What a launch takes beside its turns.
struct LaunchCosts {
  double seconds;  ///< without a turn
  double left;     ///< bytes that others have written to the L2: what is read drives them out
  double written;  ///< bytes a second with which they go to the DRAM
};

/// The bandwidth of a launch, from its beginning to its end.
/// @param bandwidth that its turns have, in bytes a second
/// @param bytes that it reads
constexpr double bandwidth_of_launch(double bandwidth, double bytes, const LaunchCosts& costs) {
  // [launch]
  const double turns = bytes / bandwidth;
  const double driven_out = std::min(bytes, costs.left) / costs.written;
  return bytes / (costs.seconds + turns + driven_out);
  // [launch]
}

}  // namespace weft::model
