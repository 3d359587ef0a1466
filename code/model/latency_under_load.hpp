#pragma once

/// @file
/// Little's law for a memory whose latency grows with its load: bytes on their way = bandwidth × latency
/// (J. D. C. Little, "A Proof for the Queuing Formula L = λW", Operations Research 9, 1961).

#include <cmath>
#include <cstddef>
#include <cstdint>
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

/// The mean of the longest of some latencies that do not depend on each other: of a warp that waits for
/// several lines. A latency is at most t with the probability F(t), and the longest of n with F(t)^n.
/// @param counts how many of the latencies that were measured lie in each step of a width; one at least
/// @param width of a step, in whatever unit the latencies have
/// @param latencies how many there are, at least 1
/// @return in the unit of the width, as if each latency lay in the middle of its step
/// @throws std::invalid_argument if none was measured, or there are none
inline double longest_of(std::span<const std::int64_t> counts, double width, std::int64_t latencies) {
  std::int64_t all = 0;
  for (const std::int64_t count : counts) all += count;
  if (all <= 0) refuse("no latency was measured");
  if (latencies < 1) refuse("the longest of no latency");
  // [longest]
  double mean = 0;
  double before = 0;
  std::int64_t reached = 0;
  for (std::size_t step = 0; step < counts.size(); ++step) {
    reached += counts[step];
    const double share = std::pow(static_cast<double>(reached) / static_cast<double>(all), latencies);
    mean += (share - before) * (static_cast<double>(step) + 0.5) * width;
    before = share;
  }
  return mean;
  // [longest]
}

}  // namespace weft::model
