#pragma once

/// @file
/// Which line of the PTX each machine instruction comes from: `.nv_debug_line_sass`, which ptxas writes with
/// -lineinfo in the format of DWARF 2's line tables.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft {

/// From this address on, up to the next row's, code comes from this line; an address is an offset in the code
/// of one function.
struct LineRow {
  std::uint64_t address = 0;
  std::uint32_t line = 0;
};

/// The rows of one function.
struct LineSequence {
  std::uint64_t place = 0;    ///< of its start address in the section: that is what a relocation names
  std::vector<LineRow> rows;  ///< by address
};

/// Reads a section of line tables.
/// @throws std::runtime_error if it is damaged
std::vector<LineSequence> read_line_table(std::span<const std::byte> bytes);

/// The line of an address; 0 if it is not known.
std::uint32_t line_at(const std::vector<LineRow>& rows, std::uint64_t address);

}  // namespace weft
