#pragma once

/// @file
/// Running other programs so that Ctrl-C ends them, too.

#include <cstddef>
#include <filesystem>
#include <functional>
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

/// A program (looked for on PATH if it has no slash) with its arguments, run without standard input.
struct Job {
  std::vector<std::string> command;
  /// Where its standard output and error go; if there is none, both go to our standard error.
  std::optional<std::filesystem::path> output;
};

/// From here on SIGINT, SIGTERM and SIGHUP end the programs that are waited for, and what waits for them
/// throws Interrupted.
void end_children_when_interrupted();

/// Runs a program to its end.
/// @return its exit status, or 128 + the signal that ended it
/// @throws std::system_error if it cannot be started, Interrupted if the user interrupts
int run(const Job& job);

/// Runs programs, `at_once` at a time, to the end of the last.
/// @param ended called with each one's place among the jobs and its status as it ends
/// @throws std::system_error if one cannot be started, Interrupted if the user interrupts: the others are
/// ended
void run_together(const std::vector<Job>& jobs, std::size_t at_once,
                  const std::function<void(std::size_t, int)>& ended);

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
