#pragma once

#include <string_view>

#include "emulator/ptx/module.hpp"

namespace weft::emulator::ptx {

/// Parses a module. Instructions are not judged: one that does not exist is found when it is decoded.
/// @param text must outlive the module, which refers to it
/// @throws SyntaxError
Module parse(std::string_view text);

}  // namespace weft::emulator::ptx
