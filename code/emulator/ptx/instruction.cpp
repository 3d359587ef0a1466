#include "emulator/ptx/instruction.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace weft::emulator::ptx {

bool has_no_result(const Instruction& instruction) {
  static constexpr std::array<std::string_view, 20> opcodes{
      "call",   "st",       "red",      "bra",           "brx",       "bar",      "barrier",
      "cp",     "mbarrier", "prefetch", "ret",           "prefetchu", "fence",    "exit",
      "membar", "stmatrix", "discard",  "applypriority", "trap",      "nanosleep"};
  const std::string_view opcode = instruction.parts.front();
  if (opcode == "wmma") return instruction.has("store");
  if (opcode == "wgmma") return !instruction.has("mma_async");
  if (std::ranges::find(opcodes, opcode) == opcodes.end()) return false;
  if (opcode == "mbarrier") {
    return !instruction.has("try_wait") && !instruction.has("test_wait") && !instruction.has("arrive");
  }
  return !((opcode == "bar" || opcode == "barrier") && instruction.has("red"));
}

Space space_of(const Instruction& instruction) {
  for (const std::string_view part : instruction.parts) {
    if (part == "global") return Space::global;
    if (part.starts_with("shared")) return Space::shared;
    if (part == "local") return Space::local;
    if (part == "const") return Space::constant;
    if (part.starts_with("param")) return Space::param;
  }
  return Space::generic;
}

}  // namespace weft::emulator::ptx
