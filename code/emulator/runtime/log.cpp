#include "emulator/runtime/log.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <utility>

#include "emulator/runtime/state.hpp"

namespace weft::emulator {
namespace {

struct Log {
  std::mutex mutex;
  std::vector<LaunchRecord> records;
  bool faulty = false;
};

/// Outlives the program's static objects, whose destructors may launch.
Log& current_log() {
  static auto* const log = new Log;
  return *log;
}

/// In the environment once a runtime of this process has written its counters: both CUDA 12's and 13's are
/// loaded, and the one that the program does not use has nothing to say.
constexpr const char* written = "WEFT_EMULATOR_COUNTERS_WRITTEN";

const char* counters_file() { return std::getenv("WEFT_EMULATOR_COUNTERS"); }

/// Written beside and renamed, so that an earlier file is whole until this one is.
void write_counters(const std::filesystem::path& file) {
  if (current_log().records.empty() && std::getenv(written) != nullptr) return;
  setenv(written, "1", 1);
  const std::filesystem::path beside = file.string() + ".new";
  {
    std::ofstream stream(beside);
    stream << to_json(current_log().records);
    if (!stream.flush()) return say("cannot write " + file.string());
  }
  std::error_code failure;
  std::filesystem::rename(beside, file, failure);
  if (failure) say("cannot write " + file.string() + ": " + failure.message());
}

/// Runs when the program ends, after its own destructors.
struct AtExit {
  AtExit() = default;
  AtExit(const AtExit&) = delete;
  AtExit& operator=(const AtExit&) = delete;
  ~AtExit() {
    if (counters_file() != nullptr) write_counters(counters_file());
    if (!current_log().faulty) return;
    std::fflush(nullptr);
    _exit(EXIT_FAILURE);
  }
};
const AtExit at_exit;

}  // namespace

void log_launch(LaunchRecord record) {
  if (counters_file() == nullptr) return;
  const std::scoped_lock lock(current_log().mutex);
  current_log().records.push_back(std::move(record));
}

void log_fault() { current_log().faulty = true; }

}  // namespace weft::emulator
