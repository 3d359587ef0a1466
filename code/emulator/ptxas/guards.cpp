#include "emulator/ptxas/guards.hpp"

#include <algorithm>
#include <vector>

namespace weft::emulator {
namespace {

/// Whether code may come to an instruction from elsewhere than the one before.
bool is_target(const ptx::Function& function, std::uint32_t index) {
  const auto leads_here = [&](const ptx::Instruction& one) {
    return std::ranges::any_of(one.operands, [&](const ptx::Operand& operand) {
      return operand.kind == ptx::Operand::Kind::label && operand.index == index;
    });
  };
  const auto holds_it = [&](const std::vector<std::uint32_t>& targets) {
    return std::ranges::find(targets, index) != targets.end();
  };
  return std::ranges::any_of(function.instructions, leads_here) ||
         std::ranges::any_of(function.branch_targets, holds_it);
}

bool is_plain_branch(const ptx::Instruction& instruction) {
  return instruction.parts.front() == "bra" && instruction.operands.size() == 1 &&
         instruction.operands.front().kind == ptx::Operand::Kind::label;
}

/// Where the stretch of code that holds an instruction goes on: the target of its last jump, or what follows.
std::uint32_t end_of_stretch(const ptx::Function& function, std::uint32_t instruction) {
  const std::vector<ptx::Instruction>& code = function.instructions;
  std::uint32_t at = instruction + 1;
  while (at < code.size() && !is_plain_branch(code[at]) && !is_target(function, at)) ++at;
  const bool jumps = at < code.size() && !is_target(function, at) && !code[at].guarded;
  return jumps ? code[at].operands.front().index : at;
}

/// The branch that leads around an instruction's stretch of code, if nothing else leads there.
std::optional<std::uint32_t> branch_around(const ptx::Function& function, std::uint32_t instruction) {
  for (std::uint32_t at = instruction; at > 0 && !is_target(function, at); --at) {
    const ptx::Instruction& before = function.instructions[at - 1];
    if (!is_plain_branch(before)) continue;
    const std::uint32_t target = before.operands.front().index;
    const bool around =
        before.guarded && (target > instruction || target == end_of_stretch(function, instruction));
    return around ? std::optional(at - 1) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

bool is_counted_at_guard(MachineOperation operation) {
  return operation == MachineOperation::load_shared || operation == MachineOperation::store_shared ||
         operation == MachineOperation::atomic_shared;
}

std::optional<std::uint32_t> place_of_guard(const ptx::Function& function, std::uint32_t instruction) {
  return function.instructions[instruction].guarded ? instruction : branch_around(function, instruction);
}

}  // namespace weft::emulator
