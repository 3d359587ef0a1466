#pragma once

/// @file
/// What the programs of this folder check themselves with. They run on a GPU as well.

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <source_location>

/// Counts an error if something does not hold.
inline int failures = 0;
inline void expect(bool holds, const std::source_location place = std::source_location::current()) {
  if (holds) return;
  ++failures;
  std::printf("%s:%u: does not hold\n", place.file_name(), static_cast<unsigned>(place.line()));
}

/// Counts an error if a call gives another result than it should.
inline void expect(cudaError_t got, cudaError_t wanted,
                   const std::source_location place = std::source_location::current()) {
  if (got == wanted) return;
  ++failures;
  std::printf("%s:%u: got %s, not %s\n", place.file_name(), static_cast<unsigned>(place.line()),
              cudaGetErrorName(got), cudaGetErrorName(wanted));
}

/// Ends the program if a call fails that the rest builds on.
inline void must(cudaError_t got, const std::source_location place = std::source_location::current()) {
  if (got == cudaSuccess) return;
  std::printf("%s:%u: %s\n", place.file_name(), static_cast<unsigned>(place.line()), cudaGetErrorString(got));
  std::exit(EXIT_FAILURE);
}

inline int verdict() { return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE; }
