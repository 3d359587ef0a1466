#include "emulator/execute/statistics.hpp"

#include <ctime>

namespace weft::emulator {
namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

Statistics& statistics() {
  static Statistics instance;
  return instance;
}

Stopwatch::Stopwatch()
    : seconds_(seconds_of(CLOCK_MONOTONIC)), processor_seconds_(seconds_of(CLOCK_PROCESS_CPUTIME_ID)) {}

Stopwatch::~Stopwatch() {
  statistics().seconds += seconds_of(CLOCK_MONOTONIC) - seconds_;
  statistics().processor_seconds += seconds_of(CLOCK_PROCESS_CPUTIME_ID) - processor_seconds_;
}

}  // namespace weft::emulator
