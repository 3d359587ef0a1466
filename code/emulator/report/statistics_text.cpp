#include "emulator/report/statistics_text.hpp"

#include <nlohmann/json.hpp>

#include "emulator/handlers/instruction_table.hpp"

namespace weft::emulator {

std::string to_text(const Statistics& statistics) {
  return nlohmann::ordered_json{{"instruction_set", instruction_set()},
                                {"thread_instructions", statistics.thread_instructions},
                                {"seconds", statistics.seconds},
                                {"processor_seconds", statistics.processor_seconds}}
      .dump();
}

}  // namespace weft::emulator
