#pragma once

#include <cstdint>
#include <string>

namespace weft::emulator {

/// A mangled name as the source spells it, with parameters and template arguments; other names stay as they
/// are.
std::string readable_name(const std::string& mangled);

/// A number as addresses are written, `0x7f00`.
std::string hexadecimal(std::uint64_t value);

}  // namespace weft::emulator
