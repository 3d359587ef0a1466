#pragma once

/// @file
/// What all launches of the process took together, for `make bench-emulator`.

#include <cstdint>

namespace weft::emulator {

struct Statistics {
  bool count_instructions = false;        ///< slows the kernels down: not for a run whose time counts
  std::uint64_t thread_instructions = 0;  ///< PTX instructions × lanes that executed them
  double seconds = 0;                     ///< inside of kernels
  double processor_seconds = 0;           ///< of all workers together
};

/// The process's statistics. Launches, of which there is one at a time, add to it.
Statistics& statistics();

/// Adds the time from its making to its end to the process's statistics.
class Stopwatch {
 public:
  Stopwatch();
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch();

 private:
  double seconds_, processor_seconds_;
};

}  // namespace weft::emulator
