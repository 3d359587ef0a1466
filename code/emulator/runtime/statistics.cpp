/// @file
/// Statistics for the benchmark: WEFT_EMULATOR_STATISTICS names a file that gets them when the program ends.
/// With WEFT_EMULATOR_INSTRUCTIONS=1 instructions are counted, too.

#include "emulator/execute/statistics.hpp"
#include "emulator/execute/table.hpp"

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

namespace weft::emulator {
namespace {

struct AtExit {
  AtExit() { statistics().count_instructions = std::getenv("WEFT_EMULATOR_INSTRUCTIONS") != nullptr; }
  AtExit(const AtExit&) = delete;
  AtExit& operator=(const AtExit&) = delete;
  ~AtExit() {  // NOLINT(bugprone-exception-escape): json throws for numbers of no kind alone
    const char* const file = std::getenv("WEFT_EMULATOR_STATISTICS");
    if (file == nullptr || statistics().seconds == 0)
      return;  // no launch went through this one of the runtimes
    const Statistics& all = statistics();
    std::ofstream(file) << nlohmann::json{{"instruction_set", instruction_set()},
                                          {"thread_instructions", all.thread_instructions},
                                          {"seconds", all.seconds},
                                          {"processor_seconds", all.processor_seconds}};
  }
};
const AtExit at_exit;

}  // namespace
}  // namespace weft::emulator
