#pragma once

/// @file
/// The file in which a program's launches are noted as they end, to be reported when it has ended.

#include <filesystem>
#include <functional>
#include <string>

#include "emulator/report/record.hpp"

namespace weft::emulator {

/// The environment's name for the file.
inline constexpr const char* journal_variable = "WEFT_EMULATOR_JOURNAL";

/// A line for a launch.
/// @param name which no other line has
std::string entry(const std::string& name, const std::string& text);

/// A line for a launch that counted what an earlier one did.
std::string repetition(const std::string& name);

/// Reads a journal, in order. A line that was cut short, because the program died, is left out.
void read_journal(const std::filesystem::path& file, const std::function<void(const LaunchRecord&)>& use);

}  // namespace weft::emulator
