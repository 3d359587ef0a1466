#pragma once

/// @file
/// The benchmark's statistics, as text.

#include <string>

#include "emulator/execute/statistics.hpp"

namespace weft::emulator {

/// As JSON, with the name of the instruction set.
std::string to_text(const Statistics& statistics);

}  // namespace weft::emulator
