#pragma once

/// @file
/// The command line of a step's program.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "step/text.hpp"

namespace weft {

/// A program's exit status when this GPU, or its absence, is the reason.
inline constexpr int cannot_run_here = 77;

enum class Command : std::uint8_t { check, list, once, count, measure, describe };

/// What the command line asks for.
struct CommandLineOptions {
  Command command = Command::check;
  bool small = false;                    ///< check small shapes alone
  List<Shape> shapes;                    ///< of --once (one) or --measure (none: each variant's own)
  ParameterMap parameters;               ///< of the variants asked for
  bool no_curves = false;                ///< leave out the variants that are timed in one round alone
  std::int64_t skipped = 0;              ///< of --measure: so many of the first measurements are left out
  std::filesystem::path output;          ///< of --measure; empty: none
  std::vector<std::string> for_doctest;  ///< what follows `--`
};

/// The command line is wrong, or asks for what this program does not have; what() is one line.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads the command line.
/// @return nothing if help was asked for and printed
/// @throws UsageError
std::optional<CommandLineOptions> parse_options(int argc, const char* const* argv);

/// The variants that the options choose: all, or those with the parameters asked for; at least one, except to
/// check or list.
/// @throws UsageError if there is none, or one of them cannot be run at a shape asked for: the wrong number
/// of extents, or an extent of 0
std::vector<const Variant*> chosen_variants(const CommandLineOptions& options);

}  // namespace weft
