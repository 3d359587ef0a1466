#pragma once

/// @file
/// Times and counts the book's chapters on this machine's GPU, so that an interruption loses one measurement
/// at most.

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "benchmark/card/nsight_compute.hpp"
#include "benchmark/results/results.hpp"
#include "benchmark/runner/journal.hpp"
#include "benchmark/runner/programs.hpp"
#include "benchmark/runner/progress.hpp"
#include "benchmark/runner/request.hpp"

namespace weft {

/// One chapter on one GPU, from its programs to its results file.
class ChapterRun {
 public:
  /// Takes over what an interrupted run left, and looks at the results file, which is of no use if it is
  /// damaged.
  /// @param failures takes one line for each that there is
  /// @throws BadResults, std::runtime_error if nothing can be written
  ChapterRun(const Chapter& chapter, const Request& request, const Json& gpu,
             std::vector<std::string>& failures);

  /// The programs that are still to be timed or counted for something.
  [[nodiscard]] std::vector<Program> pending() const;

  /// Leaves a program out from now on.
  void leave_out(const std::filesystem::path& program) { left_out_.insert(program); }

  /// Times and counts what is missing, and writes the results.
  /// @throws Interrupted, std::runtime_error if nothing at all can run here
  void run();

  /// Forgets what was kept for the case of an interruption.
  void forget() const { journal_.remove(); }

 private:
  [[nodiscard]] bool wants(const char* what) const { return request_.what.contains(what); }
  void time();
  void time(const Program& program, int round);
  void count();
  void count(NsightCompute& ncu, const Launch& launch);
  void write();
  void fail(const std::string& what);

  const Chapter& chapter_;
  const Request& request_;
  const Json& gpu_;
  std::vector<std::string>& failures_;
  std::filesystem::path file_;
  Results results_;  // of earlier runs
  Journal journal_;
  std::set<std::filesystem::path> left_out_;  // programs that failed or cannot run here
};

}  // namespace weft
