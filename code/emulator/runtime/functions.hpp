#pragma once

/// @file
/// What kernels need, and what programs set for them.

#include <cstdint>

#include "emulator/runtime/modules.hpp"
#include "model/occupancy.hpp"

namespace weft::emulator {

/// What a kernel asks of a multiprocessor.
struct Resources {
  int registers = 0;               ///< per thread; 0 if the program holds no machine code, which alone tells
  int registers_architecture = 0;  ///< that they are known for: 75 for sm_75; the device's, or another one
  std::int64_t static_shared = 0;
  std::int64_t local = 0;   ///< bytes per thread
  int most_threads = 1024;  ///< per block, by what the kernel says and by its registers
};

Resources resources_of(const Kernel& kernel);

/// Dynamic shared memory that a block of the kernel may have, in bytes: 48 KiB with what is static, until the
/// program asks for more.
std::int64_t most_dynamic_shared(const Kernel& kernel);

/// Theoretical occupancy on the emulated card; where registers are not known, as if they were no limit.
model::Occupancy occupancy_of(const Kernel& kernel, int threads, std::int64_t dynamic_shared);

}  // namespace weft::emulator
