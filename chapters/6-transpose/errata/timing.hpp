#pragma once

/// @file
/// Two clocks for launches: the device's, and the host's as source 001 uses it.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "device/device.hpp"

namespace weft {

/// The middle one of an odd number of samples.
inline double median(std::vector<double> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::ranges::nth_element(samples, middle);
  return *middle;
}

/// Seconds of each launch by the device's clock, after one that is not timed.
template <typename Launch>
std::vector<double> device_seconds(int launches, Launch launch) {
  const Event begin;
  const Event end;
  std::vector<double> seconds;
  for (int i = 0; i <= launches; ++i) {
    begin.record(nullptr);
    launch();
    cuda_check(cudaGetLastError());
    end.record(nullptr);
    end.synchronize();
    if (i > 0) seconds.push_back(seconds_between(begin, end));
  }
  return seconds;
}

/// Seconds from each launch to its end by the host's clock, the first one included.
template <typename Launch>
std::vector<double> host_seconds(int launches, Launch launch) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds;
  for (int i = 0; i < launches; ++i) {
    const Clock::time_point begin = Clock::now();
    launch();
    cuda_check(cudaGetLastError());
    cuda_check(cudaDeviceSynchronize());
    seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return seconds;
}

}  // namespace weft
