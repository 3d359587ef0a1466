#pragma once

/// @file
/// Watches the card's memory clock, power, temperature and throttling while something runs on it.

#include <memory>

#include "program/measure.hpp"

namespace weft {

/// Watches the card that is in use, from a thread of its own.
class Meter {
 public:
  Meter();
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;
  ~Meter();

  /// What was seen since the construction. The thread ends.
  MeterReadings stop();

 private:
  struct Watch;
  std::unique_ptr<Watch> watch_;
};

}  // namespace weft
