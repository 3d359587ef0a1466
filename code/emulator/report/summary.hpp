#pragma once

/// @file
/// What a person reads when the program has ended.

#include <filesystem>
#include <ostream>

namespace weft::emulator {

/// Writes a table for each kernel of a journal, then the lines of the source that cost most.
void write_summary(const std::filesystem::path& journal, std::ostream& to);

}  // namespace weft::emulator
