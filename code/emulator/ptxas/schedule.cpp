#include "emulator/ptxas/schedule.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "emulator/ptx/instruction.hpp"

namespace weft::emulator {
namespace {

using ptx::Instruction;
using ptx::Operand;

bool is_atomic(const Instruction& instruction) { return instruction.parts.front() == "atom"; }

/// Whether others may decide what the instruction gives back.
bool sees_others(const Instruction& instruction) {
  static constexpr std::array<std::string_view, 4> words{"volatile", "relaxed", "acquire", "mmio"};
  const auto has = [&](std::string_view word) { return instruction.has(word); };
  return is_atomic(instruction) || (instruction.parts.front() == "ld" && std::ranges::any_of(words, has));
}

bool is_access(const Instruction& instruction) {
  static constexpr std::array<std::string_view, 8> opcodes{"ld",  "ldu", "st",       "atom",
                                                           "red", "cp",  "ldmatrix", "stmatrix"};
  return std::ranges::find(opcodes, instruction.parts.front()) != opcodes.end();
}

void each_register_of(const Operand& operand, auto visit) {
  if (operand.is_reg()) visit(operand.index);
  for (const Operand& part : operand.parts) each_register_of(part, visit);
}

/// A stretch of the function, its end left out.
struct Stretch {
  std::uint32_t begin, end;
};

class Marker {
 public:
  explicit Marker(const ptx::Function& function)
      : code_(function.instructions), tainted_(function.registers.size()), scheduled_(code_.size()) {}

  /// @return whether each instruction depends on the schedule
  std::vector<bool> run() {
    const bool any = std::ranges::any_of(code_, sees_others);
    if (!any) return std::move(scheduled_);
    while (taint()) {
    }
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      if (is_decided(code_[i])) scheduled_[i] = true;
      for (const Operand& operand : code_[i].operands) {
        if (operand.kind == Operand::Kind::address && reads_tainted(operand)) scheduled_[i] = true;
        if (operand.kind != Operand::Kind::label) continue;
        if (operand.index <= i) {
          if (is_left_by_decision({operand.index, i + 1})) mark({operand.index, i + 1});
        } else if (is_decided(code_[i])) {
          mark({i, operand.index});
          mark_other_side(operand.index);
        }
      }
    }
    return std::move(scheduled_);
  }

 private:
  bool reads_tainted(const Operand& operand) const {
    bool found = false;
    each_register_of(operand, [&](std::uint32_t reg) { found = found || tainted_[reg]; });
    return found;
  }

  bool is_decided(const Instruction& instruction) const {
    return instruction.guarded && tainted_[instruction.guard.index];
  }

  /// @return whether another register was tainted
  bool taint() {
    bool more = false;
    for (const Instruction& instruction : code_) {
      if (instruction.operands.empty() || has_no_result(instruction)) continue;
      bool from_others = sees_others(instruction) || is_decided(instruction);
      for (std::size_t i = 1; i < instruction.operands.size(); ++i)
        from_others = from_others || reads_tainted(instruction.operands[i]);
      if (!from_others) continue;
      each_register_of(instruction.operands[0], [&](std::uint32_t reg) {
        more = more || !tainted_[reg];
        tainted_[reg] = true;
      });
    }
    return more;
  }

  void mark(Stretch stretch) {
    for (std::uint32_t i = stretch.begin; i < stretch.end; ++i) scheduled_[i] = true;
  }

  /// Where a branch leads around a stretch that ends with a jump, the jump leads around what is done instead.
  void mark_other_side(std::uint32_t target) {
    const Instruction& last = code_[target - 1];
    if (last.parts.front() != "bra" || last.guarded || last.operands.empty()) return;
    if (last.operands[0].kind == Operand::Kind::label && last.operands[0].index > target)
      mark({target, last.operands[0].index});
  }

  /// Whether how often a loop turns was decided by others.
  bool is_left_by_decision(Stretch loop) const {
    for (std::uint32_t i = loop.begin; i < loop.end; ++i) {
      if (!is_decided(code_[i])) continue;
      const std::string_view opcode = code_[i].parts.front();
      if (opcode == "exit" || opcode == "ret") return true;
      if (opcode != "bra") continue;
      const std::uint32_t target = code_[i].operands[0].index;
      if (i + 1 == loop.end || target < loop.begin || target >= loop.end) return true;
    }
    return false;
  }

  const std::vector<Instruction>& code_;
  std::vector<bool> tainted_;    ///< by register
  std::vector<bool> scheduled_;  ///< by instruction
};

}  // namespace

void mark_scheduled(const ptx::Function& function, Executions& executions) {
  const std::vector<bool> scheduled = Marker(function).run();
  for (std::uint32_t i = 0; i < scheduled.size(); ++i) {
    if (!scheduled[i] || !is_access(function.instructions[i])) continue;
    Execution execution = executions.of(i);
    execution.scheduled = true;
    executions.by_instruction[i] = execution;
  }
}

}  // namespace weft::emulator
