#include "emulator/ptxas/unrolled.hpp"

#include <cstdint>

namespace weft::emulator {

void find_unrolled_exits(const ptx::Function& function, const std::vector<PtxAccess>& accesses,
                         Executions& executions) {
  std::set<std::uint32_t> ends;  // of the loops
  for (const PtxAccess& access : accesses) {
    const auto found = executions.by_instruction.find(access.instruction);
    const bool copied = found != executions.by_instruction.end() && found->second.copies > 1;
    if (access.loop != 0 && copied) ends.insert(access.loop);
  }
  const std::vector<ptx::Instruction>& code = function.instructions;
  const auto is_branch_in_code = [&](std::uint32_t at) {
    return code[at].parts.front() == "bra" && code[at].operands.size() == 1 &&
           code[at].operands[0].kind == ptx::Operand::Kind::label;
  };
  for (const std::uint32_t end : ends) {
    if (!is_branch_in_code(end)) continue;
    const std::uint32_t start = code[end].operands[0].index;
    for (std::uint32_t at = start; at <= end; ++at) {
      if (!code[at].guarded || !is_branch_in_code(at)) continue;
      const std::uint32_t target = code[at].operands[0].index;
      if (at == end || target < start || target > end) executions.unrolled_exits.insert(at);
    }
  }
}

}  // namespace weft::emulator
