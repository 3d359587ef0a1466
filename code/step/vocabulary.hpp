#pragma once

/// @file
/// The words in which a step speaks of itself. Every step includes this, and compiles it three times, for the
/// host and for the device: so it includes little.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <source_location>
#include <vector>

namespace weft {

/// The extents of a problem; what they mean is the chapter's matter: rows, columns for a matrix.
using Shape = std::vector<std::int64_t>;

/// What a variant is run with, by name: `{"block", {32, 8}}`.
struct Parameter {
  const char* name;
  std::vector<std::int64_t> values;
};
using Parameters = std::vector<Parameter>;

/// What a program is measured for: itself, a ceiling that nothing exceeds, or the best known program for the
/// same work.
enum class Kind : std::uint8_t { step, ceiling, peer };

/// Everything that the commands of a program need of one way to run its step; see step.hpp.
struct Variant;

/// Passes a successful call.
/// @throws CudaError if the call failed; the error state of the runtime is cleared
void cuda_check(cudaError_t result, std::source_location where = std::source_location::current());

/// For a launch that needs what this machine lacks, such as a library: the program then ends as skipped.
/// @throws Unavailable with this text
[[noreturn]] void unavailable(const char* why);

/// For a call beside the runtime's that failed.
/// @throws std::runtime_error with this text, and the status if it is not 0
[[noreturn]] void fail(const char* what, int status = 0);

}  // namespace weft
