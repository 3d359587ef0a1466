#pragma once

/// @file
/// A program run as a child, so that what it counted is reported however it ends.

#include <filesystem>
#include <string>
#include <vector>

namespace weft::emulator {

/// Runs a program to its end. Signals sent to the calling process are handed on to it.
/// @param arguments the program's name first
/// @return its status, as waitpid() gives it
int supervise(const std::filesystem::path& program, const std::vector<std::string>& arguments);

/// Ends the calling process as a child ended: with its exit status, or by the same signal.
[[noreturn]] void end_like(int status);

}  // namespace weft::emulator
