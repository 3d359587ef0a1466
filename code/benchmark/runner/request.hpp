#pragma once

/// @file
/// The command line of `reproduce`.

#include <filesystem>
#include <optional>
#include <set>
#include <string>

namespace weft {

/// What `reproduce` is asked to do.
struct Request {
  std::set<std::string> what;  ///< of "check", "emulate", "sanitize", "measure", "count"
  std::set<int> chapters;      ///< all if empty
  int rounds = 3;
  std::filesystem::path output = "build/results";
  std::filesystem::path programs;  ///< the build's `chapters`; by default beside `reproduce`
  std::string commit;              ///< of the sources; unknown if empty
  std::string compiler;            ///< what compiled the steps
};

/// Reads the command line.
/// @return nothing if help was asked for and printed
/// @throws UsageError
std::optional<Request> parse_request(int argc, const char* const* argv);

}  // namespace weft
