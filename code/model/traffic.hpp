#pragma once

/// @file
/// Bytes that must move, and the least time in which they can.

#include <cstdint>
#include <stdexcept>

namespace weft::model {

/// What a problem obliges any kernel to move between DRAM and the SMs: each input read once, each output
/// written once.
struct Traffic {
  std::int64_t read;     ///< bytes
  std::int64_t written;  ///< bytes

  [[nodiscard]] constexpr std::int64_t total() const { return read + written; }
  constexpr bool operator==(const Traffic&) const = default;
};

/// The least time, in seconds, that the traffic takes at the rate of a ceiling.
/// @param bytes_per_second measured, for instance `cudaMemcpy` device to device, reading and writing counted
/// @throws std::invalid_argument if the rate is not positive
constexpr double floor_seconds(const Traffic& traffic, double bytes_per_second) {
  if (!(bytes_per_second > 0)) throw std::invalid_argument("a rate is positive");
  return static_cast<double>(traffic.total()) / bytes_per_second;
}

/// Effective bandwidth in bytes per second: what had to move, over the time that it took.
/// @throws std::invalid_argument if the time is not positive
constexpr double bandwidth(const Traffic& traffic, double seconds) {
  if (!(seconds > 0)) throw std::invalid_argument("a time is positive");
  return static_cast<double>(traffic.total()) / seconds;
}

}  // namespace weft::model
