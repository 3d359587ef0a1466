/// @file
/// Times every step of the book on this machine's GPU, and counts with Nsight Compute if asked to.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <functional>
#include <iostream>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "benchmark/atomic_file.hpp"
#include "benchmark/nsight_compute.hpp"
#include "benchmark/pool.hpp"
#include "benchmark/process.hpp"
#include "benchmark/programs.hpp"
#include "benchmark/provenance.hpp"
#include "benchmark/request.hpp"
#include "benchmark/results.hpp"
#include "benchmark/table.hpp"
#include "program/options.hpp"

namespace weft {
namespace {

constexpr int most_rounds = 3;
constexpr std::chrono::minutes longest_repeated{2};  // a longer round sees the GPU drift by itself
constexpr int cannot_run_here = 77;  // a program's exit status when this GPU, or its absence, is the reason
constexpr int interrupted_status = 130;

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

/// Says what comes next, and how much is left.
class Progress {
 public:
  explicit Progress(std::size_t total) : total_(total) {}

  void next(const std::string& what) {
    std::cerr << '[' << done_ + 1 << '/' << total_ << "] " << what;
    if (const auto seconds = left(); done_ > 0) {
      std::cerr << ", about " << (seconds < 120 ? seconds : seconds / 60) << (seconds < 120 ? " s" : " min")
                << " left";
    }
    std::cerr << '\n';
    ++done_;
  }

 private:
  [[nodiscard]] long left() const {
    const auto elapsed = std::chrono::steady_clock::now() - start_;
    const auto each =
        std::chrono::duration<double>(elapsed) / static_cast<double>(std::max<std::size_t>(done_, 1));
    return std::lround((each * static_cast<double>(total_ - done_)).count());
  }

  std::size_t total_;
  std::size_t done_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// One run over one chapter after the other.
class Reproduction {
 public:
  explicit Reproduction(Request request) : request_(std::move(request)), gpu_(describe_gpu()) {}

  /// What an earlier run left of a chapter.
  /// @throws BadResults if it is of no use
  [[nodiscard]] Results earlier(const Chapter& chapter) const {
    const auto file = file_of(chapter);
    if (!std::filesystem::exists(file)) return {chapter.number, gpu_};
    try {
      Results results = read_results(file);
      if (results.chapter == chapter.number) return results;
      throw BadResults(file.string() + ": foreign: holds results of chapter " +
                       std::to_string(results.chapter));
    } catch (const BadResults& fault) {
      throw BadResults(fault.what() + std::string("; move it away to measure anew"));
    }
  }

  /// Times and counts a chapter and writes its file.
  void chapter(const Chapter& chapter) {
    const auto file = file_of(chapter);
    Results results = earlier(chapter);
    require_writable(file.parent_path());

    const GpuMonitor monitor;
    Results measured(chapter.number, gpu_);
    measured.measurements = time(chapter);
    if (measured.measurements.empty()) return;  // every failure has been named
    measured.provenance = provenance(monitor, measured.measurements);
    results.merge(measured);
    write_atomically(file, format_results(results));
    std::cout << format_table(measured.measurements) << std::flush;
    if (request_.counters) {
      measured.measurements.clear();
      count(chapter, [&](const Json& counters) {
        measured.counters = {counters};
        results.merge(measured);
        write_atomically(file, format_results(results));
      });
    }
    std::cout << file.string() << '\n' << std::flush;
  }

  /// What failed, named on stderr.
  /// @return whether anything did
  bool report_failures() const {
    for (const std::string& failure : failures_) std::cerr << "reproduce: FAILED: " << failure << '\n';
    return !failures_.empty();
  }

 private:
  [[nodiscard]] std::filesystem::path file_of(const Chapter& chapter) const {
    const std::string folder = folder_name(gpu_.at("name").get<std::string>());
    return request_.output / folder / ("chapter" + std::to_string(chapter.number) + ".json");
  }

  std::vector<Json> time(const Chapter& chapter) {
    const TemporaryFolder folder;
    Pool pool;
    Progress progress(chapter.programs.size() * most_rounds);
    const auto start = std::chrono::steady_clock::now();
    for (int round = 1; round <= most_rounds; ++round) {
      if (round == 2 && std::chrono::steady_clock::now() - start > longest_repeated) break;
      rounds_ = round;
      for (const Program& program : chapter.programs) {
        const std::string name = program.name();
        progress.next("chapter " + std::to_string(chapter.number) + ", round " + std::to_string(round) +
                      " of " + std::to_string(most_rounds) + ": " + name);
        if (left_out_.contains(program.path)) continue;
        time_one(program, round, folder.path() / (name + "." + std::to_string(round) + ".json"), pool);
      }
    }
    return pool.measurements();
  }

  /// Runs one program. What fails is named and left out from then on.
  void time_one(const Program& program, int round, const std::filesystem::path& output, Pool& pool) {
    try {
      std::vector<std::string> command{program.path.string(), "--measure", "--output", output.string()};
      if (round > 1) command.emplace_back("--no-sweeps");
      const int status = run(command);
      if (status == cannot_run_here && pool.empty()) throw NothingRuns();
      if (status != 0) left_out_.insert(program.path);
      if (status == cannot_run_here) return;
      // What a program measured before it failed is as good as anything.
      if (std::filesystem::exists(output)) pool.add(read_text(output));
      if (status != 0) throw std::runtime_error("exit status " + std::to_string(status));
    } catch (const Interrupted&) {
      throw;
    } catch (const NothingRuns&) {
      throw;
    } catch (const std::exception& error) {
      left_out_.insert(program.path);
      failures_.push_back(program.name() + " --measure: " + error.what());
      std::cerr << "reproduce: " << failures_.back() << '\n';
    }
  }

  /// Counts one launch after the other.
  /// @param keep takes each one's counters at once: an interruption then loses one launch
  void count(const Chapter& chapter, const std::function<void(const Json&)>& keep) {
    std::vector<Counted> launches;
    for (const Program& program : chapter.programs) {
      if (left_out_.contains(program.path)) continue;
      for (Counted& counted : counted_launches(program)) launches.push_back(std::move(counted));
    }
    NsightCompute ncu;
    Progress progress(launches.size());
    try {
      for (const Counted& launch : launches) {
        const std::string name =
            launch.step + " " + shape_text(launch.shape) + " " + parameters_text(launch.parameters);
        progress.next("chapter " + std::to_string(chapter.number) + ", counting " + name);
        const Json metrics = count_one(ncu, launch, name);
        if (metrics.empty()) continue;
        keep({{"step", launch.step},
              {"shape", launch.shape},
              {"parameters", launch.parameters},
              {"fingerprint", launch.fingerprint},
              {"metrics", metrics}});
      }
    } catch (const CannotCount& error) {
      failures_.push_back(std::string("--counters: ") + error.what());
    }
    for (const std::string& metric : ncu.unknown()) {
      std::cerr << "reproduce: this GPU or this ncu has no " << metric << '\n';
    }
  }

  /// The metrics of one launch; empty if it has none or failed, which is then named.
  Json count_one(NsightCompute& ncu, const Counted& launch, const std::string& name) {
    try {
      Json metrics = ncu.count(launch.command);
      if (metrics.empty()) std::cerr << "  " << name << " launches no kernel\n";
      return metrics;
    } catch (const CannotCount&) {
      throw;
    } catch (const Interrupted&) {
      throw;
    } catch (const std::exception& error) {
      failures_.push_back("counting " + name + ": " + error.what());
      std::cerr << "reproduce: " << failures_.back() << '\n';
      return Json::object();
    }
  }

  [[nodiscard]] Json provenance(const GpuMonitor& monitor, const std::vector<Json>& measurements) const {
    Json fields = describe_software();
    const auto is_peer = [](const Json& measurement) { return measurement.at("kind") == "peer"; };
    if (std::ranges::none_of(measurements, is_peer)) fields["cublas"] = nullptr;
    fields["compiler"] = request_.compiler.empty() ? Json() : Json(request_.compiler);
    fields["commit"] = request_.commit.empty() ? Json() : Json(request_.commit);
    fields["date"] = now();
    fields["rounds"] = rounds_;
    fields.update(monitor.readings());
    return fields;
  }

  Request request_;
  Json gpu_;
  int rounds_ = 0;                            // that were made of the chapter at hand
  std::set<std::filesystem::path> left_out_;  // programs that failed or cannot run here
  std::vector<std::string> failures_;
};

int reproduce(const Request& request) {
  std::vector<Chapter> chapters = find_chapters(request.programs);
  for (const int wanted : request.chapters) {
    const auto is_it = [&](const Chapter& chapter) { return chapter.number == wanted; };
    if (std::ranges::none_of(chapters, is_it)) {
      throw UsageError("no chapter " + std::to_string(wanted) + " in " + request.programs.string());
    }
  }
  if (!request.chapters.empty()) {
    std::erase_if(chapters,
                  [&](const Chapter& chapter) { return !request.chapters.contains(chapter.number); });
  }
  end_children_when_interrupted();
  Reproduction reproduction(request);
  for (const Chapter& chapter : chapters)
    static_cast<void>(reproduction.earlier(chapter));  // or all is in vain
  for (const Chapter& chapter : chapters) reproduction.chapter(chapter);
  return reproduction.report_failures() ? 1 : 0;
}

}  // namespace
}  // namespace weft

int main(int argc, const char* const* argv) {
  try {
    const auto request = weft::parse_request(argc, argv);
    return request ? weft::reproduce(*request) : 0;
  } catch (const weft::Interrupted&) {
    std::cerr << "reproduce: interrupted; the results files are whole, and hold what was finished before\n";
    return weft::interrupted_status;
  } catch (const weft::UsageError& error) {
    std::cerr << "reproduce: " << error.what() << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "reproduce: " << error.what() << '\n';
    return 1;
  }
}
