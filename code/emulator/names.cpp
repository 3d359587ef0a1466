#include "emulator/names.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace weft::emulator {

std::string readable_name(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> readable(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? readable.get() : mangled;
}

std::string hexadecimal(std::uint64_t value) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), digits[value & 15]);
    value >>= 4;
  } while (value != 0);
  return "0x" + text;
}

}  // namespace weft::emulator
