#pragma once

/// @file
/// What a step's program does besides checking.

#include "check/options.hpp"

namespace weft {

/// Prints a line per variant.
void list();

/// Launches the first chosen variant once. @throws UsageError, CudaError, OutOfDeviceMemory
void launch_once(const Options& options);

/// Times the chosen variants, prints a table, writes the output file. @throws as launch_once, and
/// std::runtime_error
void measure(const Options& options);

/// Prints this program's variants as JSON. @throws std::runtime_error
void describe();

}  // namespace weft
