#pragma once

/// @file
/// Running another program so that Ctrl-C ends it, too.

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace weft {

/// Thrown when the user interrupts.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

/// From here on SIGINT, SIGTERM and SIGHUP end the program that run() waits for, and run() throws
/// Interrupted.
void end_children_when_interrupted();

/// Runs a program to its end, without standard input.
/// @param command the program (looked for on PATH if it has no slash) and its arguments
/// @param output where its standard output and error go; if there is none, both go to our standard error
/// @return its exit status, or 128 + the signal that ended it
/// @throws std::system_error if it cannot be started, Interrupted if the user interrupts
int run(const std::vector<std::string>& command, const std::optional<std::filesystem::path>& output = {});

/// The whole text of a file; empty if it cannot be read.
std::string read_text(const std::filesystem::path& path);

/// A folder for the files of one run, removed at the end.
class TemporaryFolder {
 public:
  /// @throws std::system_error if there is no room for it
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace weft
