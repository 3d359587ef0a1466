#pragma once

/// @file
/// What all of the book's programs do with a command line.

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

#include "program/options.hpp"

namespace weft {

/// Parses a command line.
/// @return whether there is something to do: not if help was asked for, which is printed
/// @throws UsageError if the command line is wrong
inline bool parse(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(argc, const_cast<char**>(argv));
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return false;
  } catch (const CLI::ParseError& error) {
    throw UsageError(std::string(error.what()) + " (--help lists the options)");
  }
  return true;
}

}  // namespace weft
