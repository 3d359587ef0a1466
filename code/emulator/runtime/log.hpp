#pragma once

/// @file
/// What is reported when the program ends.

#include "emulator/report/record.hpp"

namespace weft::emulator {

/// Keeps what a launch counted, to be written when the program ends.
void log_launch(LaunchRecord record);

/// A kernel did something wrong: the program will end with status 1.
void log_fault();

}  // namespace weft::emulator
