#pragma once

/// @file
/// The command line of `reproduce`.

#include <filesystem>
#include <set>
#include <string>

namespace weft {

/// What `reproduce` is asked to do.
struct Options {
  std::set<int> chapters;  ///< all if empty
  std::filesystem::path output = "build/results";
  std::filesystem::path programs;  ///< the build's `chapters`; by default beside `reproduce`
  std::string commit;              ///< of the sources; unknown if empty
  std::string compiler;            ///< what compiled the steps
  bool counters = false;
  bool help = false;
};

/// Reads the command line. What is wrong with it is said on stderr, in a line.
/// @throws std::invalid_argument if something is wrong; the message may be empty, when it has been said
/// already
Options parse_options(int argc, char** argv);

/// What --help prints.
std::string usage();

}  // namespace weft
