#pragma once

/// @file
/// PTX reduced to what a kernel does.

#include <set>
#include <string>

namespace weft {

/// The names of the kernels that a module defines.
std::set<std::string> entries(const std::string& ptx);

/// A module as it stands when everything is gone that depends on where, when and how it was compiled, and
/// every kernel but those named: no comments, `.file`, `.loc`, debug sections and their labels; and no trace
/// of the module's name in the names of what is internal to it. Lines are trimmed, empty ones left out.
std::string normalized(const std::string& ptx, const std::set<std::string>& kernels);

/// A mangled name without the name of its module, which nvcc makes up from file, process and contents.
std::string without_module(const std::string& text);

}  // namespace weft
