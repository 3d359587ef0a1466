#pragma once

/// @file
/// What a long run says of itself.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <string>

namespace weft {

/// Says on stderr what comes next, and how much is left.
class Progress {
 public:
  explicit Progress(std::size_t total) : total_(total) {}

  void next(const std::string& what) {
    std::cerr << '[' << done_ + 1 << '/' << total_ << "] " << what;
    if (const long seconds = left(); done_ > 0) {
      std::cerr << ", about " << (seconds < 120 ? seconds : seconds / 60) << (seconds < 120 ? " s" : " min")
                << " left";
    }
    std::cerr << '\n';
    ++done_;
  }

 private:
  [[nodiscard]] long left() const {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    const auto done = static_cast<double>(std::max<std::size_t>(done_, 1));
    return std::lround(elapsed.count() / done * static_cast<double>(total_ - done_));
  }

  std::size_t total_;
  std::size_t done_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace weft
