#pragma once

/// @file
/// The checks of the steps' programs: on a GPU, on the emulator, or under compute-sanitizer.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "benchmark/runner/programs.hpp"

namespace weft {

/// What runs the checks.
enum class CheckedBy : std::uint8_t { gpu, emulator, sanitizer };

/// What failed, by the name of its program, and by that of a tool if there are several.
struct FailedCheck {
  std::filesystem::path program;
  std::string name;
};

/// Runs the checks of programs, several at a time, and says what becomes of each. A program of others is left
/// out where their kernels cannot be looked into.
/// @param emulator the program `emulate`
/// @throws std::runtime_error if what runs them is missing, Interrupted
std::vector<FailedCheck> check(const std::vector<Program>& programs, CheckedBy by,
                               const std::filesystem::path& emulator);

}  // namespace weft
