#include "benchmark/runner/checks.hpp"

#include <iostream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "benchmark/runner/progress.hpp"
#include "benchmark/system/process.hpp"
#include "program/options.hpp"

namespace weft {
namespace {

/// The checks of one program, as one of perhaps several tools runs them.
struct Check {
  const Program* program;
  std::string tool;
  std::vector<std::string> command;

  [[nodiscard]] std::string name() const { return program->name() + (tool.empty() ? "" : " under " + tool); }
};

/// A test case in which racecheck reports races where there are none says so in its name, and why beside it.
constexpr const char* not_beyond_racecheck = "--test-case-exclude=*(beyond racecheck)*";

std::vector<Check> checks_of(const Program& program, CheckedBy by, const std::filesystem::path& emulator) {
  const std::string path = program.path.string();
  if (by == CheckedBy::gpu) return {{&program, "", {path}}};
  if (by == CheckedBy::emulator) return {{&program, "", {emulator.string(), path}}};
  std::vector<Check> checks;
  for (const std::string tool : {"memcheck", "racecheck", "initcheck", "synccheck"}) {
    checks.push_back(
        {&program, tool, {"compute-sanitizer", "--tool", tool, "--error-exitcode", "99", path, "--small"}});
    if (tool == "racecheck") {
      checks.back().command.insert(checks.back().command.end(), {"--", not_beyond_racecheck});
    }
  }
  return checks;
}

/// One program alone leaves most of a card idle; the emulator takes all cores by itself.
std::size_t at_once(CheckedBy by) {
  switch (by) {
    case CheckedBy::gpu:
      return 3;
    case CheckedBy::emulator:
      return 1;
    case CheckedBy::sanitizer:
      return 4;
  }
  return 1;
}

/// What to do about it if what runs the checks is not there.
const char* where_from(CheckedBy by) {
  switch (by) {
    case CheckedBy::gpu:
      return "build the steps anew";
    case CheckedBy::emulator:
      return "build it first";
    case CheckedBy::sanitizer:
      return "it comes with the CUDA toolkit, and must be on PATH";
  }
  return "";
}

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.find_last_of('\n') + 1);
}

}  // namespace

std::vector<FailedCheck> check(const std::vector<Program>& programs, CheckedBy by,
                               const std::filesystem::path& emulator) {
  std::vector<Check> checks;
  for (const Program& program : programs) {
    if (by != CheckedBy::gpu && program.of_others) {
      std::cerr << program.name() << " left out: a library runs machine code, which takes a GPU\n";
      continue;
    }
    for (Check& one : checks_of(program, by, emulator)) checks.push_back(std::move(one));
  }
  const TemporaryFolder logs;
  std::vector<Job> jobs;
  jobs.reserve(checks.size());
  for (const Check& one : checks) jobs.push_back({one.command, logs.path() / std::to_string(jobs.size())});
  std::vector<FailedCheck> failed;
  Progress progress(jobs.size());
  const auto ended = [&](std::size_t number, int status) {
    const Check& one = checks[number];
    const std::string said = read_text(*jobs[number].output);
    if (status == 0) {
      progress.next(one.name() + " passed");
    } else if (status == cannot_run_here) {
      progress.next(one.name() + " skipped: " + last_line(said));
    } else {
      progress.next(one.name() + " FAILED, exit status " + std::to_string(status));
      std::cerr << said;
      failed.push_back({one.program->path, one.name()});
    }
  };
  try {
    run_together(jobs, at_once(by), ended);
  } catch (const std::system_error& error) {
    throw std::runtime_error(std::string(error.what()) + ": " + where_from(by));
  }
  return failed;
}

}  // namespace weft
