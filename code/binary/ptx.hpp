#pragma once

/// @file
/// PTX reduced to what a kernel does.

#include <set>
#include <string>
#include <vector>

namespace weft {

/// A declaration or a function of a module, as it stands when everything is gone that depends on where, when
/// and how it was compiled: no comments, `.file`, `.loc`, debug sections and their labels; and no trace of
/// the module's name in the names of what is internal to it. Lines are trimmed, empty ones left out.
struct Statement {
  std::string entry;  ///< the name of the kernel that it defines, as it is; empty if it defines none
  std::string text;
};

/// A module's statements: each ends with a semicolon or a closing brace outside of all braces, or is one of
/// the directives that end with their line.
std::vector<Statement> statements(const std::string& ptx);

/// The names of the kernels that a module defines.
std::set<std::string> entries(const std::vector<Statement>& statements);

/// A module without the kernels that are not named. What the compiler numbered within the module, labels
/// above all, is numbered anew in the order of its appearance: how many kernels stand before one leaves no
/// trace.
std::string normalized(const std::vector<Statement>& statements, const std::set<std::string>& kernels);

/// A mangled name without the name of its module, which nvcc makes up from file, process and contents.
std::string without_module(const std::string& text);

}  // namespace weft
