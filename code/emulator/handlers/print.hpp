#pragma once

/// @file
/// printf on the device.

#include <cstdint>
#include <functional>
#include <string>

namespace weft::emulator {

/// What a device's printf reads.
struct PrintArguments {
  std::function<std::uint64_t(int bytes)> next;                 ///< 4 or 8 bytes, from the packed arguments
  std::function<std::string(std::uint64_t address)> string_at;  ///< up to its zero
};

struct Printed {
  std::string text;
  int arguments = 0;  ///< that were asked for
};

/// Formats as C's printf does. Numbers of up to 4 bytes are passed as 4, all others as 8.
Printed print(const std::string& format, const PrintArguments& arguments);

}  // namespace weft::emulator
