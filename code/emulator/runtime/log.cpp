#include "emulator/runtime/log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "emulator/memory/allocations.hpp"
#include "emulator/report/journal.hpp"
#include "emulator/runtime/state.hpp"

namespace weft::emulator {
namespace {

/// The file that launches are written to as they end. Several processes may write to it: each line is written
/// at once. If one cannot be, the file is removed: no report then takes what it holds for all there was.
class Journal {
 public:
  Journal() {
    if (const char* const file = std::getenv(journal_variable)) file_ = file;
    if (!file_.empty()) descriptor_ = open(file_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  }

  void write(const LaunchRecord& record) {
    if (descriptor_ < 0) return;
    const std::string text = to_text(record);
    Last& last = last_[record.kernel];
    const std::string line = text == last.text ? repetition(last.name) : entry(last.name = next_name(), text);
    last.text = text;
    if (::write(descriptor_, line.data(), line.size()) == static_cast<ssize_t>(line.size())) return;
    say("what kernels count is not reported: " + file_ + " cannot be written (is the disk full?)");
    unlink(file_.c_str());
    descriptor_ = -1;
  }

 private:
  struct Last {
    std::string name, text;
  };

  std::string next_name() { return std::to_string(getpid()) + '-' + std::to_string(count_++); }

  std::string file_;
  int descriptor_ = -1;
  std::uint64_t count_ = 0;
  std::map<std::string, Last> last_;  ///< of each kernel: it often repeats itself
};

/// What the program asks for and says about its launches, between one and the next.
struct Account {
  std::mutex mutex;
  Counts totals;      ///< of all launches so far
  std::string label;  ///< of the launches that come
};

/// Outlives the program's static objects, whose destructors may launch.
Account& account() {
  static auto* const all = new Account;
  return *all;
}

bool faulty = false;

/// Says what is allocated still: a line for each allocation, up to a few.
void report_leaks() {
  constexpr std::size_t most_lines = 20;
  const std::vector<Allocation> left = device_memory().not_freed();
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    bytes += left[i].bytes;
    if (i < most_lines) say("never freed: " + text_of(left[i]));
  }
  if (left.empty()) return;
  say(std::to_string(left.size()) + (left.size() == 1 ? " allocation" : " allocations") + " of " +
      std::to_string(bytes) + " bytes in all were never freed");
  log_fault();
}

/// Runs when the program ends, after its own destructors.
struct JudgementAtExit {
  JudgementAtExit() = default;
  JudgementAtExit(const JudgementAtExit&) = delete;
  JudgementAtExit& operator=(const JudgementAtExit&) = delete;
  ~JudgementAtExit() {
    if (std::getenv("WEFT_EMULATOR_LEAKS") != nullptr) report_leaks();
    if (!faulty) return;
    std::fflush(nullptr);
    _exit(EXIT_FAILURE);
  }
};
const JudgementAtExit judgement_at_exit;

}  // namespace

void log_launch(LaunchRecord record) {
  {
    const std::scoped_lock lock(account().mutex);
    for (const auto& [metric, count] : record.metrics) account().totals[metric] += count;
    record.label = account().label;
  }
  static auto* const journal =
      new Journal;  // outlives the program's static objects, whose destructors may launch
  journal->write(record);
}

void log_fault() { faulty = true; }

}  // namespace weft::emulator

/// For programs that check what they count: what all launches so far have added to a metric.
extern "C" std::uint64_t weft_counted(const char* metric) {
  weft::emulator::Account& all = weft::emulator::account();
  const std::scoped_lock lock(all.mutex);
  const auto found = all.totals.find(metric);
  return found == all.totals.end() ? 0 : found->second;
}

/// For programs that launch several things to be told apart: the launches from here on bear this label in the
/// counters' file. An empty one, or none, ends that.
extern "C" void weft_mark(const char* label) {
  weft::emulator::Account& all = weft::emulator::account();
  const std::scoped_lock lock(all.mutex);
  all.label = label != nullptr ? label : "";
}
