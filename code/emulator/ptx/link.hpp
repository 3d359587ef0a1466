#pragma once

/// @file
/// Several translation units as one: what `nvcc -rdc=true` leaves to the linker.

#include <string>
#include <vector>

namespace weft::emulator::ptx {

/// Joins PTX texts into one. Names that several of them use, but keep to themselves, become different ones,
/// and so do the numbers of source files.
/// @throws SyntaxError if one is no PTX
std::string link(const std::vector<std::string>& units);

}  // namespace weft::emulator::ptx
