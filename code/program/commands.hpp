#pragma once

/// @file
/// What a step's program does besides checking.

#include <filesystem>
#include <memory>
#include <vector>

#include "step/step.hpp"

namespace weft {

/// Prints a line per variant.
void list();

/// Launches a variant once, after its buffers are filled and poisoned, and waits for its end.
/// @return the problem that was launched
/// @throws CudaError, OutOfDeviceMemory
std::unique_ptr<Problem> launch_once(const Variant& variant, const Shape& shape);

/// Launches each variant at each shape that it is counted at, under the emulator: the label of a launch is
/// its step, shape and parameters as JSON, in the order of --describe. A peer is left out.
/// @throws UsageError if the runtime is not the emulator
void count();

/// Times variants, prints a table, writes a file.
/// @param chosen the variants
/// @param shapes to time at; none: each variant's own
/// @param output file for the measurements as a JSON array; empty: none
/// @throws CudaError, OutOfDeviceMemory, std::runtime_error
void measure(const std::vector<const Variant*>& chosen, const std::vector<Shape>& shapes,
             const std::filesystem::path& output);

/// Prints this program's variants as JSON.
/// @throws std::runtime_error if a kernel has no PTX here
void describe();

}  // namespace weft
