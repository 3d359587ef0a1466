#include "emulator/runtime/log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "emulator/report/journal.hpp"
#include "emulator/runtime/state.hpp"

namespace weft::emulator {
namespace {

/// The file that launches are written to as they end. Several processes may write to it: each line is written
/// at once.
class Journal {
 public:
  Journal() {
    const char* const file = std::getenv(journal_variable);
    if (file != nullptr) descriptor_ = open(file, O_WRONLY | O_APPEND | O_CLOEXEC);
  }

  void write(const LaunchRecord& record) {
    if (descriptor_ < 0) return;
    const std::string text = to_text(record);
    Last& last = last_[record.kernel];
    const std::string line = text == last.text ? repetition(last.name) : entry(last.name = next_name(), text);
    last.text = text;
    if (::write(descriptor_, line.data(), line.size()) == static_cast<ssize_t>(line.size())) return;
    say("what kernels count can no longer be written down: is the disk full?");
    descriptor_ = -1;
  }

 private:
  struct Last {
    std::string name, text;
  };

  std::string next_name() { return std::to_string(getpid()) + '-' + std::to_string(count_++); }

  int descriptor_ = -1;
  std::uint64_t count_ = 0;
  std::map<std::string, Last> last_;  ///< of each kernel: it often repeats itself
};

bool faulty = false;

/// Runs when the program ends, after its own destructors.
struct AtExit {
  AtExit() = default;
  AtExit(const AtExit&) = delete;
  AtExit& operator=(const AtExit&) = delete;
  ~AtExit() {
    if (!faulty) return;
    std::fflush(nullptr);
    _exit(EXIT_FAILURE);
  }
};
const AtExit at_exit;

}  // namespace

void log_launch(const LaunchRecord& record) {
  static auto* const journal =
      new Journal;  // outlives the program's static objects, whose destructors may launch
  journal->write(record);
}

void log_fault() { faulty = true; }

}  // namespace weft::emulator
