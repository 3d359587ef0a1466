#pragma once

/// @file
/// What ptxas decided about kernels, read from their machine code.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace weft::recorder {

/// What one kernel needs.
struct Resources {
  int registers = 0;               ///< per thread
  std::int64_t static_shared = 0;  ///< bytes per block
};

/// The kernels of a module, by mangled name.
/// @param image the module's machine code for sm_90, an ELF file
/// @throws std::runtime_error if it is damaged
std::map<std::string, Resources> read_resources(std::span<const std::byte> image);

}  // namespace weft::recorder
