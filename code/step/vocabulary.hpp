#pragma once

/// @file
/// The words in which a step speaks of itself. Every step includes this, and compiles it three times, for the
/// host and for the device: so it includes little.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>
#include <source_location>

#include "model/list.hpp"

namespace weft {

/// The extents of a problem; what they mean is the chapter's matter: rows, columns for a matrix.
using Shape = Numbers;

/// A text that stands in the source, such as a step's name.
class Name {
 public:
  constexpr Name(const char* text = "") : text_(text) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] constexpr const char* text() const { return text_; }

  bool operator==(Name other) const { return std::strcmp(text_, other.text_) == 0; }

 private:
  const char* text_;
};

/// What a variant is run with, by name: `{"block", {32, 8}}`.
struct Parameter {
  const char* name = "";
  Numbers values;
};
using Parameters = List<Parameter>;

/// What a program is measured for.
enum class Kind : std::uint8_t {
  step,       ///< itself
  ceiling,    ///< nothing exceeds it
  peer,       ///< the best known program for the same work
  experiment  ///< one thing is otherwise than in a step: what comes out tells explanations apart
};

/// What of a launch its time is held against.
enum class Rating : std::uint8_t {
  bytes,       ///< read and written: a bandwidth, in bytes per second
  operations,  ///< of arithmetic: a rate, in operations per second
  accesses,    ///< that wait for one another: a time and cycles for each
  elements     ///< a throughput, in elements per second
};

/// What the L2 cache holds when a launch is timed.
enum class L2 : std::uint8_t {
  cold,  ///< nothing of the problem: the cache is emptied before every launch
  warm,  ///< what a launch leaves there that is not timed, right before each one that is
  kept   ///< what the launch before left: one follows the other, and nothing is overwritten between them
};

/// How a quantity is obtained that a step reports beside its time.
enum class Origin : std::uint8_t {
  device,    ///< computed by the step itself, wherever it runs
  clock,     ///< measured by the step itself with the card's clock: takes a GPU
  profiler,  ///< counted by Nsight Compute
  meter      ///< read from the card's clock and power meter while the step is timed
};

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

/// Registers the program's steps. Every program defines it, and `main` calls it once, before anything else: a
/// program that registers nothing is refused.
void register_steps();

/// For register_steps() of a program that has no step: its test cases are all that it is for.
void tests_alone();

}  // namespace weft
