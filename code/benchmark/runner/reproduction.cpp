#include "benchmark/runner/reproduction.hpp"

#include <algorithm>
#include <ctime>
#include <iostream>
#include <iterator>
#include <optional>
#include <stdexcept>

#include "benchmark/card/provenance.hpp"
#include "benchmark/results/table.hpp"
#include "benchmark/system/atomic_file.hpp"
#include "benchmark/system/process.hpp"
#include "program/options.hpp"

namespace weft {
namespace {

/// Nothing at all can be measured here; the program that found out has said why.
class NothingRuns : public std::runtime_error {
 public:
  NothingRuns() : std::runtime_error("nothing was measured") {}
};

std::string now() {
  const std::time_t time = std::time(nullptr);
  char text[sizeof "2000-01-01T00:00:00Z"];
  std::strftime(text, sizeof text, "%FT%TZ", std::gmtime(&time));
  return text;
}

/// What an earlier run left of a chapter.
Results earlier(const std::filesystem::path& file, int chapter, const Json& gpu) try {
  if (!std::filesystem::exists(file)) return {chapter, gpu};
  Results results = read_results(file);
  if (results.chapter == chapter) return results;
  throw BadResults(file.string() + ": foreign: holds results of chapter " + std::to_string(results.chapter));
} catch (const BadResults& fault) {
  throw BadResults(fault.what() + std::string("; move it away to measure anew"));
}

std::filesystem::path made(std::filesystem::path folder) {
  require_writable(folder);
  return folder;
}

/// The first of a program's measurements that is missing in a round: all after it are taken.
std::optional<std::size_t> first_missing(const Program& program, int round, const Journal& journal) {
  const std::vector<const Launch*> launches = round_of(program, round).launches;
  const auto is_missing = [&](const Launch* launch) { return journal.rounds(*launch) < round; };
  const auto found = std::ranges::find_if(launches, is_missing);
  if (found == launches.end()) return std::nullopt;
  return static_cast<std::size_t>(found - launches.begin());
}

const MetricGroups& metrics_of(const Launch& launch) {
  return launch.timed_alone ? metrics_of_timed_size() : all_metrics();
}

}  // namespace

ChapterRun::ChapterRun(const Chapter& chapter, const Request& request, const Json& gpu,
                       std::vector<std::string>& failures)
    : chapter_(chapter),
      request_(request),
      gpu_(gpu),
      failures_(failures),
      file_(request.output / folder_name(gpu.at("name").get<std::string>()) /
            ("chapter" + std::to_string(chapter.number) + ".json")),
      results_(earlier(file_, chapter.number, gpu)),
      journal_(made(file_.parent_path()) /
                   ("chapter" + std::to_string(chapter.number) + "." + card() + ".journal"),
               chapter, request.commit) {}

std::vector<Program> ChapterRun::pending() const {
  std::vector<Program> programs;
  for (const Program& program : chapter_.programs) {
    const auto is_missing = [&](const Launch& launch) { return !journal_.is_counted(launch); };
    if ((wants("measure") && first_missing(program, request_.rounds, journal_)) ||
        (wants("count") && std::ranges::any_of(program.counted, is_missing))) {
      programs.push_back(program);
    }
  }
  return programs;
}

void ChapterRun::run() {
  if (wants("measure")) time();
  if (wants("count")) count();
  write();
}

void ChapterRun::time() {
  std::vector<std::pair<const Program*, int>> missing;
  for (int round = 1; round <= request_.rounds; ++round) {
    for (const Program& program : chapter_.programs) {
      if (!left_out_.contains(program.path) && first_missing(program, round, journal_)) {
        missing.emplace_back(&program, round);
      }
    }
  }
  Progress progress(missing.size());
  for (const auto& [program, round] : missing) {
    progress.next("chapter " + std::to_string(chapter_.number) + ", round " + std::to_string(round) + " of " +
                  std::to_string(request_.rounds) + ": " + program->name());
    if (!left_out_.contains(program->path)) time(*program, round);
  }
}

/// Runs one program. What fails is named and left out from then on.
void ChapterRun::time(const Program& program, int round) {
  const auto skipped = first_missing(program, round, journal_);
  if (!skipped) return;
  std::vector<std::string> command{program.path.string(),    "--measure", "--output",
                                   journal_.file().string(), "--skip",    std::to_string(*skipped)};
  std::ranges::copy(round_of(program, round).options, std::back_inserter(command));
  const int status = weft::run({command, {}});
  journal_.read();
  if (status == 0) return;
  leave_out(program.path);
  if (status != cannot_run_here) {
    fail(program.name() + " --measure: exit status " + std::to_string(status));
  } else if (journal_.measurements().empty()) {
    throw NothingRuns();
  }
}

void ChapterRun::count() {
  std::vector<const Launch*> missing;
  for (const Program& program : chapter_.programs) {
    if (left_out_.contains(program.path)) continue;
    for (const Launch& launch : program.counted) {
      if (!journal_.is_counted(launch)) missing.push_back(&launch);
    }
  }
  NsightCompute ncu;
  Progress progress(missing.size());
  try {
    for (const Launch* launch : missing) {
      progress.next("chapter " + std::to_string(chapter_.number) + ", counting " + name_of(*launch));
      count(ncu, *launch);
    }
  } catch (const CannotCount& error) {
    fail(std::string("counting: ") + error.what());
  }
  for (const std::string& metric : ncu.unknown()) {
    std::cerr << "reproduce: this GPU or this ncu has no " << metric << '\n';
  }
}

void ChapterRun::count(NsightCompute& ncu, const Launch& launch) {
  try {
    MetricGroups groups = metrics_of(launch);
    groups.front().insert(groups.front().end(), launch.metrics.begin(), launch.metrics.end());
    const Json metrics = ncu.count(launch.command, groups);
    if (metrics.empty()) std::cerr << "  " << name_of(launch) << " launches no kernel\n";
    Json entry = launch.what;
    entry["fingerprint"] = launch.fingerprint;
    entry["metrics"] = metrics;
    journal_.add(entry);
    journal_.read();
  } catch (const CannotCount&) {
    throw;
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& error) {
    fail("counting " + name_of(launch) + ": " + error.what());
  }
}

void ChapterRun::write() {
  Results fresh(chapter_.number, gpu_);
  fresh.measurements = journal_.measurements();
  fresh.counters = journal_.counters();
  std::erase_if(fresh.counters, [](const Json& entry) { return entry.at("metrics").empty(); });
  if (fresh.measurements.empty() && fresh.counters.empty()) return;  // every failure has been named
  fresh.provenance = results_.provenance;
  if (!fresh.measurements.empty()) {
    for (Json& measurement : fresh.measurements) measurement["card"] = card();
    fresh.provenance = describe_software();
    const auto is_peer = [](const Json& measurement) { return measurement.at("kind") == "peer"; };
    if (std::ranges::none_of(fresh.measurements, is_peer)) fresh.provenance["cublas"] = nullptr;
    fresh.provenance["compiler"] = request_.compiler.empty() ? Json() : Json(request_.compiler);
    fresh.provenance["commit"] = request_.commit.empty() ? Json() : Json(request_.commit);
    fresh.provenance["date"] = now();
    fresh.provenance["rounds"] = request_.rounds;
    fresh.provenance.update(describe_conditions(fresh.measurements));
  }
  results_.merge(fresh);
  write_atomically(file_, format_results(results_));
  std::cout << format_table(fresh.measurements) << file_.string() << '\n' << std::flush;
}

void ChapterRun::fail(const std::string& what) {
  failures_.push_back(what);
  std::cerr << "reproduce: " << what << '\n';
}

}  // namespace weft
