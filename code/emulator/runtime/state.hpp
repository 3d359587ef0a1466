#pragma once

/// @file
/// What the entry points of the runtime share: the error state, and how errors of the emulator become CUDA's.

#include <cuda_runtime_api.h>

#include <functional>
#include <string>

#include "emulator/error.hpp"

namespace weft::emulator {

/// A program has no code that the emulated device can run.
class NoImage : public Error {
 public:
  using Error::Error;
};

/// Notes the result of a call, as cudaGetLastError() will give it.
cudaError_t note(cudaError_t result);

/// Runs an entry point's body. What it throws becomes a line on the standard error stream and `failure`.
cudaError_t guarded(const std::function<cudaError_t()>& body, cudaError_t failure = cudaErrorUnknown);

/// The last error, which is then forgotten; one that a kernel caused stays.
cudaError_t take_last_error();
cudaError_t last_error();

/// A kernel did something wrong: from now on every call fails with this error, and the program ends with
/// status 1.
void set_sticky(cudaError_t error);

/// Prints a line about the emulated program.
void say(const std::string& line);

/// Prints a line once, however often it is said.
void say_once(const std::string& line);

}  // namespace weft::emulator
