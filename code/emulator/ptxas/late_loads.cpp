#include "emulator/ptxas/late_loads.hpp"

#include <algorithm>
#include <set>

#include "emulator/ptx/instruction.hpp"

namespace weft::emulator {
namespace {

using ptx::Operand;

/// The registers that a load gives a value, and what is computed from them.
class Followers {
 public:
  explicit Followers(const ptx::Instruction& load) { add(load.operands.front()); }

  /// Whether an instruction needs one of them; if so, what it computes follows, too.
  bool follow(const ptx::Instruction& instruction) {
    const bool needs =
        (instruction.guarded && holds(instruction.guard)) ||
        std::ranges::any_of(instruction.operands, [&](const Operand& operand) { return holds(operand); });
    if (needs && !instruction.operands.empty() && !has_no_result(instruction))
      add(instruction.operands.front());
    return needs;
  }

 private:
  void add(const Operand& result) {
    if (result.is_reg()) registers_.insert(result.index);
    for (const Operand& part : result.parts) add(part);
  }

  [[nodiscard]] bool holds(const Operand& operand) const {
    return (operand.is_reg() && registers_.contains(operand.index)) ||
           std::ranges::any_of(operand.parts, [&](const Operand& part) { return holds(part); });
  }

  std::set<std::uint32_t> registers_;
};

}  // namespace

std::optional<std::uint32_t> branch_that_may_come_first(const ptx::Function& function,
                                                        const PtxAccess& access) {
  using enum MachineOperation;
  const std::vector<ptx::Instruction>& code = function.instructions;
  const ptx::Instruction& load = code[access.instruction];
  const bool loads = access.operation == load_global || access.operation == load_shared;
  if (!loads || !access.may_join) return std::nullopt;
  Followers followers(load);
  for (std::uint32_t at = access.instruction + 1; at < code.size(); ++at) {
    const ptx::Instruction& next = code[at];
    const std::string_view opcode = next.parts.front();
    const bool ends = opcode == "bra" || opcode == "exit" || opcode == "ret";
    const bool needs = followers.follow(next);
    if (ends && next.guarded) {
      if (needs || opcode != "bra") return std::nullopt;
      const bool back = next.operands.front().index <= at;
      return back ? std::nullopt : std::optional(at);
    }
    const bool changes = opcode == "st" || opcode == "atom" || opcode == "red" || opcode == "bar" ||
                         opcode == "call" || opcode == "barrier" || opcode == "membar" || opcode == "fence";
    if (ends || changes) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace weft::emulator
