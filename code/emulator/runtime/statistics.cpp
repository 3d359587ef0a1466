/// @file
/// Statistics for the benchmark: WEFT_EMULATOR_STATISTICS names a file that gets them when the program ends.
/// With WEFT_EMULATOR_INSTRUCTIONS=1 instructions are counted, too.

#include "emulator/execute/statistics.hpp"

#include <cstdlib>
#include <fstream>

#include "emulator/report/statistics_text.hpp"

namespace weft::emulator {
namespace {

struct StatisticsAtExit {
  StatisticsAtExit() {
    statistics().count_instructions = std::getenv("WEFT_EMULATOR_INSTRUCTIONS") != nullptr;
  }
  StatisticsAtExit(const StatisticsAtExit&) = delete;
  StatisticsAtExit& operator=(const StatisticsAtExit&) = delete;
  ~StatisticsAtExit() {  // NOLINT(bugprone-exception-escape): json throws for numbers of no kind alone
    const char* const file = std::getenv("WEFT_EMULATOR_STATISTICS");
    if (file == nullptr || statistics().seconds == 0)
      return;  // no launch went through this one of the runtimes
    std::ofstream(file) << to_text(statistics());
  }
};
const StatisticsAtExit statistics_at_exit;

}  // namespace
}  // namespace weft::emulator
