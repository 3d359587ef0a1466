/// @file
/// The runner of the book's steps: checks them, on a GPU or on the emulator, times them, and counts with
/// Nsight Compute. `make chapterN`, `make reproduce` and the bundle call it.

#include <algorithm>
#include <deque>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "benchmark/card/provenance.hpp"
#include "benchmark/runner/checks.hpp"
#include "benchmark/runner/programs.hpp"
#include "benchmark/runner/reproduction.hpp"
#include "benchmark/runner/request.hpp"
#include "benchmark/system/process.hpp"
#include "program/options.hpp"

namespace weft {
namespace {

constexpr int interrupted_status = 130;

std::vector<Chapter> chosen_chapters(const Request& request) {
  std::vector<Chapter> chapters = find_chapters(request.programs);
  for (const int wanted : request.chapters) {
    if (std::ranges::find(chapters, wanted, &Chapter::number) == chapters.end()) {
      throw UsageError("no chapter " + std::to_string(wanted) + " in " + request.programs.string());
    }
  }
  if (!request.chapters.empty()) {
    std::erase_if(chapters,
                  [&](const Chapter& chapter) { return !request.chapters.contains(chapter.number); });
  }
  return chapters;
}

std::vector<Program> programs_of(const std::vector<Chapter>& chapters) {
  std::vector<Program> all;
  for (const Chapter& chapter : chapters) {
    all.insert(all.end(), chapter.programs.begin(), chapter.programs.end());
  }
  return all;
}

/// One run of the runner.
class Reproduction {
 public:
  explicit Reproduction(const Request& request)
      : request_(request), chapters_(chosen_chapters(request)), gpu_(describe_gpu()) {}

  /// @return whether all went well; else every failure is named
  bool run() {
    if (wants("emulate")) check(programs_of(chapters_), CheckedBy::emulator);
    if (wants("sanitize")) check(programs_of(chapters_), CheckedBy::sanitizer);
    if (wants("measure") || wants("count")) {
      check_and_measure();
    } else if (wants("check")) {
      check(programs_of(chapters_), CheckedBy::gpu);
    }
    for (const std::string& failure : failures_) std::cerr << "reproduce: FAILED: " << failure << '\n';
    return failures_.empty();
  }

 private:
  [[nodiscard]] bool wants(const char* what) const { return request_.what.contains(what); }

  std::vector<FailedCheck> check(const std::vector<Program>& programs, CheckedBy by) {
    std::vector<FailedCheck> failed = weft::check(programs, by, request_.programs.parent_path() / "emulate");
    for (const FailedCheck& one : failed) failures_.push_back(one.name);
    return failed;
  }

  /// A program whose checks fail is not timed. What was kept for an interruption is kept until all chapters
  /// are done: a run that goes on must not begin anew with the first.
  void check_and_measure() {
    std::deque<ChapterRun> runs;
    for (const Chapter& chapter : chapters_) runs.emplace_back(chapter, request_, gpu_, failures_);
    if (wants("check")) {
      std::vector<Program> pending;
      for (const ChapterRun& run : runs) {
        for (Program& program : run.pending()) pending.push_back(std::move(program));
      }
      for (const FailedCheck& failed : check(pending, CheckedBy::gpu)) {
        for (ChapterRun& run : runs) run.leave_out(failed.program);
      }
    }
    for (ChapterRun& run : runs) run.run();
    for (const ChapterRun& run : runs) run.forget();
  }

  const Request& request_;
  std::vector<Chapter> chapters_;
  Json gpu_;
  std::vector<std::string> failures_;
};

}  // namespace
}  // namespace weft

int main(int argc, const char* const* argv) {
  try {
    const auto request = weft::parse_request(argc, argv);
    if (!request) return 0;
    weft::end_children_when_interrupted();
    return weft::Reproduction(*request).run() ? 0 : 1;
  } catch (const weft::Interrupted&) {
    std::cerr << "reproduce: interrupted; what was measured is kept: the same command goes on from there\n";
    return weft::interrupted_status;
  } catch (const weft::UsageError& error) {
    std::cerr << "reproduce: " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "reproduce: " << error.what() << '\n';
    return 1;
  }
}
