#pragma once

/// @file
/// What a program's file says about itself.

#include <filesystem>
#include <string>
#include <vector>

namespace weft::emulator {

/// What must be known of a program before it is started.
struct ProgramFile {
  std::vector<std::string> libraries;  ///< that it asks the loader for, such as "libcudart.so.13"
  bool has_device_code = false;        ///< has kernels, and so a CUDA runtime if none is among the libraries

  /// @return the first library whose name starts so; else an empty name
  [[nodiscard]] std::string library(const std::string& start) const;
};

/// Looks into a file. One that is no 64-bit ELF file, a script for instance, names no library.
ProgramFile look_into(const std::filesystem::path& path);

}  // namespace weft::emulator
