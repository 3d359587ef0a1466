// A fuzz target: any bytes as a fat binary. A damaged one is an Error, never a crash.

#include <cstddef>
#include <cstdint>
#include <span>

#include "emulator/error.hpp"
#include "emulator/fatbin/fat_binary.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    weft::emulator::read_fat_binary(std::as_bytes(std::span(data, size)));
  } catch (const weft::emulator::Error&) {
    return 0;  // as it should
  }
  return 0;
}
