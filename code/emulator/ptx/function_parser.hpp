#pragma once

#include "emulator/ptx/lexer.hpp"
#include "emulator/ptx/module.hpp"

namespace weft::emulator::ptx {

/// Parses a kernel or a device function, from `.entry` or `.func` to the end of its body, or to the semicolon
/// of a declaration.
/// @throws SyntaxError
Function parse_function(Lexer& lexer);

}  // namespace weft::emulator::ptx
