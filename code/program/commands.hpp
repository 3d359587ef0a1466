#pragma once

/// @file
/// What a step's program does besides checking.

#include <cstdint>
#include <filesystem>
#include <vector>

#include "binary/launches.hpp"
#include "step/text.hpp"

namespace weft {

/// Prints a line per variant.
void list();

/// A problem whose inputs are filled and whose outputs are poisoned.
/// @throws CudaError, OutOfDeviceMemory
Owned<Problem> ready_problem(const Variant& variant, const Shape& shape);

/// @throws CudaError
void launch_to_its_end(Problem& problem);

/// Launches a variant's problem, to its end.
/// @return the kernels that were launched
/// @throws CudaError
/// @throws std::runtime_error if a step launched none that this program has noted
std::vector<Launched> noted_launches(const Variant& variant, Problem& problem);

/// Launches each variant at each shape that it is counted at, under the emulator, and holds its prediction
/// against what was counted. The label of a launch is its step, shape and parameters as JSON, in the order of
/// --describe. A peer is left out.
/// @throws UsageError if the runtime is not the emulator
/// @throws std::runtime_error if a prediction is wrong
void count();

/// Times variants and prints a table.
/// @param chosen the variants
/// @param shapes to time at; none: each variant's own
/// @param skipped how many of the first measurements are left out
/// @param output each measurement is appended to this file as soon as it is taken; empty: to none
/// @throws CudaError, OutOfDeviceMemory, std::runtime_error
void measure(const std::vector<const Variant*>& chosen, const List<Shape>& shapes, std::int64_t skipped,
             const std::filesystem::path& output);

/// Prints this program's variants as JSON.
/// @throws std::runtime_error if a kernel has no PTX here
void describe();

}  // namespace weft
