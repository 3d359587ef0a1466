// A fuzz target: any text as PTX, parsed and decoded, kernel by kernel. What is no PTX, or not known, is an
// Error.

#include <cstddef>
#include <cstdint>
#include <string>

#include "emulator/error.hpp"
#include "emulator/load/program.hpp"

using weft::emulator::Error;
using weft::emulator::Program;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    Program program(std::string(reinterpret_cast<const char*>(data), size));
    for (const auto& function : program.module().functions) {
      if (!function.kernel) continue;
      try {
        program.kernel(function.name);
      } catch (const Error&) {
        continue;  // the next one may be known
      }
    }
  } catch (const Error&) {
    return 0;  // as it should
  }
  return 0;
}
