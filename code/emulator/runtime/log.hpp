#pragma once

/// @file
/// What is reported of a program.

#include "emulator/report/record.hpp"

namespace weft::emulator {

/// Hands what a launch counted to whoever reports it: it is safe then, whatever becomes of the program.
void log_launch(const LaunchRecord& record);

/// A kernel did something wrong: the program will end with status 1.
void log_fault();

}  // namespace weft::emulator
