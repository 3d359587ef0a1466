#include "benchmark/runner/journal.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "benchmark/results/pool.hpp"
#include "benchmark/system/atomic_file.hpp"
#include "benchmark/system/process.hpp"

namespace weft {
namespace {

/// Whether an entry is of this launch, as the launch is today.
auto is_of(const Launch& launch) {
  return [&launch, which = identity(launch.what)](const Json& entry) {
    return identity(entry) == which && entry.value("fingerprint", "") == launch.fingerprint;
  };
}

bool is_commit(const Json& line) { return line.is_object() && line.contains("commit"); }

bool is_entry(const Json& line) try {
  if (!line.is_object() || identity(line).empty()) return false;
  return line.contains("metrics") || !line.at("sample_seconds").get<std::vector<double>>().empty();
} catch (const Json::exception&) {
  return false;
}

}  // namespace

Journal::Journal(std::filesystem::path file, const Chapter& chapter, const std::string& commit)
    : file_(std::move(file)) {
  const auto is_todays = [&](const Json& entry) {
    return std::ranges::any_of(chapter.programs, [&](const Program& program) {
      return std::ranges::any_of(program.timed, [&](const Launch& launch) { return is_of(launch)(entry); }) ||
             std::ranges::any_of(program.counted, [&](const Launch& launch) { return is_of(launch)(entry); });
    });
  };
  std::string kept;
  std::istringstream lines(read_text(file_));
  for (std::string line; std::getline(lines, line);) {
    const Json entry = Json::parse(line, nullptr, false);
    if (is_commit(entry) || (is_entry(entry) && is_todays(entry))) kept += line + '\n';
  }
  write_atomically(file_, kept);
  add({{"commit", commit}});
  read();
}

void Journal::read() {
  measurements_.clear();
  counters_.clear();
  std::string commit;
  std::istringstream lines(read_text(file_));
  for (std::string line; std::getline(lines, line);) {
    Json entry = Json::parse(line, nullptr, false);
    if (is_commit(entry)) commit = entry.value("commit", "");
    if (!is_entry(entry)) continue;
    if (!commit.empty()) entry["commit"] = commit;
    (entry.contains("metrics") ? counters_ : measurements_).push_back(std::move(entry));
  }
}

void Journal::add(const Json& line) {
  std::ofstream stream(file_, std::ios::app);
  stream << line.dump() + '\n' << std::flush;
  if (!stream) throw std::runtime_error(file_.string() + " cannot be written: is the disk full?");
}

int Journal::rounds(const Launch& launch) const {
  return static_cast<int>(std::ranges::count_if(measurements_, is_of(launch)));
}

bool Journal::is_counted(const Launch& launch) const { return std::ranges::any_of(counters_, is_of(launch)); }

std::vector<Json> Journal::measurements() const { return pooled(measurements_); }

void Journal::remove() const {
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

}  // namespace weft
