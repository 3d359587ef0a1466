#pragma once

/// @file
/// What is reported of a program.

#include "emulator/report/record.hpp"

namespace weft::emulator {

/// Adds up what a launch counted and hands it, with the label that the program gave last, to whoever reports
/// it: it is safe then, whatever becomes of the program.
void log_launch(LaunchRecord record);

/// A kernel did something wrong: the program will end with status 1.
void log_fault();

}  // namespace weft::emulator
