#pragma once

/// @file
/// PTX reduced to what a kernel does.

#include <set>
#include <string>
#include <vector>

namespace weft {

/// A declaration or a function of a module, without comments, `.file`, `.loc`, debug sections and their
/// labels. Lines are trimmed, empty ones left out.
struct Statement {
  std::string entry;  ///< the name of the kernel that it defines; empty if it defines none
  std::string text;
};

/// A module's statements: each ends with a semicolon or a closing brace outside of all braces, or is one of
/// the directives that end with their line.
std::vector<Statement> statements(const std::string& ptx);

/// The names of the kernels that a module defines.
std::set<std::string> entries(const std::vector<Statement>& statements);

/// Kernels of a module with all that they name, as they stand when everything is gone that depends on where,
/// when and with what they were compiled: no trace of the module's name in the names of what is internal to
/// it, nor of the namespace of a program that is compiled together with others (see chapter.cmake). What the
/// compiler numbered within the module, labels above all, is numbered anew in the order of its appearance.
std::string normalized(const std::vector<Statement>& statements, const std::set<std::string>& kernels);

}  // namespace weft
