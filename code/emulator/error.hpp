#pragma once

#include <stdexcept>

namespace weft::emulator {

/// A program that cannot be emulated, or that did something wrong; what() is one line for the user.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace weft::emulator
