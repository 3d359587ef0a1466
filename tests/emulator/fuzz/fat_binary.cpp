// A fuzz target: any bytes as fat binaries, and what they hold as machine code. What is damaged is an error,
// never a crash.

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "binary/cubin.hpp"
#include "emulator/fatbin/images.hpp"

using weft::emulator::Image;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    for (const Image& image : weft::emulator::unpack(std::as_bytes(std::span(data, size)))) {
      if (image.kind == Image::Kind::machine_code)
        weft::read_cubin(std::as_bytes(std::span(image.contents)), image.architecture);
    }
  } catch (const std::runtime_error&) {
    return 0;  // as it should
  }
  return 0;
}
