#pragma once

/// @file
/// What was counted, for other programs to read.

#include <filesystem>
#include <ostream>

namespace weft::emulator {

/// Writes all launches of a journal as JSON: one object each, in order.
void write_json(const std::filesystem::path& journal, std::ostream& to);

/// Writes all launches of a journal as `ncu --csv --page raw` does: a row with the names of the columns, one
/// with their units, one for each launch. Numbers are grouped as the environment's locale says.
void write_csv(const std::filesystem::path& journal, std::ostream& to);

}  // namespace weft::emulator
