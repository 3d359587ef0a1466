#pragma once

/// @file
/// What a step's program does besides checking.

#include "check/options.hpp"

namespace weft {

/// Prints a line per variant.
void list();

/// Launches the first chosen variant once.
/// @throws UsageError if the choice does not fit; CudaError and OutOfDeviceMemory come from the device
void launch_once(const Options& options);

/// Times the chosen variants, prints a table, writes the output file.
/// @throws std::runtime_error if it cannot be written; what launch_once throws, too
void measure(const Options& options);

/// Prints this program's variants as JSON. @throws std::runtime_error
void describe();

}  // namespace weft
