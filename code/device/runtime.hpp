#pragma once

/// @file
/// What this program runs on, and why it cannot.

#include <optional>
#include <string>
#include <vector>

namespace weft {

/// What takes the CUDA runtime's place in this process: "recorder", "emulator", or nothing.
/// Such a library says so by exporting `extern "C" const char* weft_runtime()`.
std::optional<std::string> substitute_runtime();

/// What was found out about the GPU.
struct GpuFacts {
  bool driver_found = false;
  int driver_version = 0;      ///< newest CUDA that it supports, 13000 for 13.0; 0 if it did not say
  int runtime_version = 0;     ///< CUDA that this program was built with
  std::string error;           ///< CUDA's text; empty if a device can be used
  std::string device;          ///< name of the first device
  int architecture = 0;        ///< 90 for compute capability 9.0
  bool code_found = false;     ///< this program's kernels can run on that device
  std::vector<int> built_for;  ///< architectures that this program holds machine code for
};

/// Asks driver, runtime and device.
GpuFacts gpu_facts();

/// Why no GPU is usable, in one line that says what to do; nothing if one is.
std::optional<std::string> unusable(const GpuFacts& facts);

}  // namespace weft
