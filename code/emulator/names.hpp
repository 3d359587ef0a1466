#pragma once

#include <string>

namespace weft::emulator {

/// A mangled name as the source spells it, with parameters and template arguments; other names stay as they
/// are.
std::string readable_name(const std::string& mangled);

}  // namespace weft::emulator
