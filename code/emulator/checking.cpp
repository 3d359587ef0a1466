#include "emulator/checking.hpp"

#include <cstdlib>
#include <string_view>

namespace weft::emulator {

bool checking() {
  static const bool wanted = [] {
    const char* const word = std::getenv("WEFT_EMULATOR_CHECK");
    return word == nullptr || std::string_view(word) != "0";
  }();
  return wanted;
}

}  // namespace weft::emulator
