#include "emulator/ptxas/late_loads.hpp"

#include <algorithm>

#include "emulator/ptx/instruction.hpp"

namespace weft::emulator {
namespace {

using ptx::Operand;

bool names(const Operand& operand, const Operand& reg) {
  return (operand.is_reg() && operand.index == reg.index) ||
         std::ranges::any_of(operand.parts, [&](const Operand& part) { return names(part, reg); });
}

/// Whether an instruction uses one of the registers that another one loads.
bool uses(const ptx::Instruction& instruction, const ptx::Instruction& load) {
  const Operand& result = load.operands.front();
  const auto used = [&](const Operand& reg) {
    return (instruction.guarded && names(instruction.guard, reg)) ||
           std::ranges::any_of(instruction.operands,
                               [&](const Operand& operand) { return names(operand, reg); });
  };
  return result.is_reg() ? used(result) : std::ranges::any_of(result.parts, used);
}

}  // namespace

std::optional<std::uint32_t> branch_that_may_come_first(const ptx::Function& function,
                                                        const PtxAccess& access) {
  using enum MachineOperation;
  const std::vector<ptx::Instruction>& code = function.instructions;
  const ptx::Instruction& load = code[access.instruction];
  const bool loads = access.operation == load_global || access.operation == load_shared;
  if (!loads || !access.may_join) return std::nullopt;
  for (std::uint32_t at = access.instruction + 1; at < code.size(); ++at) {
    const ptx::Instruction& next = code[at];
    const std::string_view opcode = next.parts.front();
    const bool ends = opcode == "bra" || opcode == "exit" || opcode == "ret";
    if (uses(next, load)) return std::nullopt;
    if (ends && next.guarded) {
      const bool back = opcode == "bra" && next.operands.front().index <= at;
      return back ? std::nullopt : std::optional(at);
    }
    const bool changes = opcode == "st" || opcode == "atom" || opcode == "red" || opcode == "bar" ||
                         opcode == "call" || opcode == "barrier" || opcode == "membar" || opcode == "fence";
    if (ends || changes) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace weft::emulator
