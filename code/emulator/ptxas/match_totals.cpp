/// @file
/// Without lines, the machine code shows only how many instructions of each kind and width a function has.
/// They must be those of the joined PTX, where the body of a loop may be there several times: ptxas unrolls.

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "emulator/ptxas/executions.hpp"
#include "emulator/ptxas/prediction.hpp"

namespace weft::emulator {
namespace {

using enum MachineOperation;

/// Instructions by what they do, and how many bytes per lane.
using Totals = std::map<std::pair<MachineOperation, int>, int>;

/// What one turn of a loop, or the code outside of all loops, comes to.
struct Body {
  Totals once;       ///< per turn
  Totals in_pieces;  ///< accesses of several turns: the bytes of one turn's
};

constexpr int most_copies = 64;
constexpr int most_steps = 200'000;  // of the search

/// Atomics and reductions are not told apart, nor their widths.
std::pair<MachineOperation, int> kind_of(MachineOperation operation, int bytes) {
  if (operation == reduce_global) operation = atomic_global;
  if (operation == compare_and_swap_shared || operation == increment_shared) operation = atomic_shared;
  return {operation, is_atomic(operation) ? 0 : bytes};
}

Totals totals_of(const MachineFunction& machine) {
  Totals totals;
  for (const MachineAccess& access : machine.accesses) {
    const MachineOperation operation = access.instruction.operation;
    if (is_counted(operation) && !access.instruction.never)
      ++totals[kind_of(operation, access.instruction.bytes)];
  }
  return totals;
}

/// Shared memory adds, compares and exchanges 32-bit integers by itself, and swaps 64 bits.
bool is_swap_loop(const ptx::Instruction& instruction, MachineOperation operation) {
  if (operation != atomic_shared) return false;
  if (instruction.has("cas") || instruction.has("exch")) return false;
  static constexpr std::array<std::string_view, 3> native{"u32", "s32", "b32"};
  return std::ranges::find(native, instruction.parts.back()) == native.end();
}

bool is_read(const ptx::Operand& operand, std::uint32_t reg) {
  return (operand.is_reg() && operand.index == reg) ||
         std::ranges::any_of(operand.parts, [&](const ptx::Operand& part) { return is_read(part, reg); });
}

/// Adding 1 to shared memory, with nobody who wants to know what was there.
bool is_increment(const ptx::Function& function, const ptx::Instruction& instruction,
                  MachineOperation operation) {
  static constexpr std::array<std::string_view, 2> types{"u32", "s32"};
  const ptx::Operand& amount = instruction.operands.back();
  if (operation != atomic_shared || !instruction.has("add") || amount.kind != ptx::Operand::Kind::integer ||
      amount.bits != 1 || std::ranges::find(types, instruction.parts.back()) == types.end())
    return false;
  if (instruction.parts.front() == "red") return true;
  const ptx::Operand& result = instruction.operands.front();
  return !result.is_reg() || std::ranges::none_of(function.instructions, [&](const ptx::Instruction& one) {
    return &one != &instruction && std::ranges::any_of(one.operands, [&](const ptx::Operand& operand) {
      return is_read(operand, result.index);
    });
  });
}

/// One lane adds for all if all add to the same place, and the processor can add up 32-bit integers across a
/// warp.
bool is_for_all_lanes(const ptx::Instruction& instruction, const PtxAccess& access,
                      const AddressForms& forms) {
  static constexpr std::array<std::string_view, 6> functions{"add", "min", "max", "and", "or", "xor"};
  static constexpr std::array<std::string_view, 3> types{"u32", "s32", "b32"};
  return is_atomic(access.operation) && access.operation != atomic_generic &&
         std::ranges::any_of(functions, [&](std::string_view name) { return instruction.has(name); }) &&
         std::ranges::find(types, instruction.parts.back()) != types.end() &&
         forms.is_uniform(access.address.root);
}

/// How often the body of each loop is there, such that all totals are right.
class UnrollingSearch {
 public:
  UnrollingSearch(std::vector<const Body*> bodies, Totals wanted)
      : bodies_(std::move(bodies)), rest_(std::move(wanted)) {}

  /// @param outside code that is there once
  bool succeeds(const Body& outside) { return take(outside, 1) && place(0); }

 private:
  bool take(const Body& body, int copies) {
    bool fits = true;
    for (const auto& [kind, count] : body.once) fits = (rest_[kind] -= count * copies) >= 0 && fits;
    for (const auto& [kind, bytes] : body.in_pieces) {
      fits = fits && bytes * copies % kind.second == 0;
      fits = (rest_[kind] -= bytes * copies / kind.second) >= 0 && fits;
    }
    return fits;
  }

  bool place(std::size_t next) {
    if (++steps_ > most_steps) return false;
    if (next == bodies_.size())
      return std::ranges::all_of(rest_, [](const auto& total) { return total.second == 0; });
    for (int copies = 1; copies <= most_copies; ++copies) {
      const Totals before = rest_;
      if (take(*bodies_[next], copies) && place(next + 1)) return true;
      rest_ = before;
    }
    return false;
  }

  std::vector<const Body*> bodies_;
  Totals rest_;
  int steps_ = 0;
};

/// The function as it is once its accesses are joined.
class Plan {
 public:
  Plan(const ptx::Function& function, const AddressForms& forms, const std::vector<PtxAccess>& accesses,
       bool across_turns, bool adds_up_lanes) {
    for (const Joined& one : join_neighbours(accesses, forms, across_turns)) {
      const PtxAccess& first = *one.members.front();
      Execution execution;
      execution.bytes = static_cast<std::int8_t>(one.bytes != first.bytes ? one.bytes : 0);
      execution.offset = static_cast<std::int8_t>(one.start - first.address.offset);
      execution.once_per_width = one.turns;
      const ptx::Instruction& instruction = function.instructions[first.instruction];
      Body& body = bodies_[first.loop];
      if (is_swap_loop(instruction, first.operation)) {
        execution.kind = Execution::Kind::swap_loop;
        ++body.once[{load_shared, first.bytes}];
      } else if (is_increment(function, instruction, first.operation)) {
        execution.kind = Execution::Kind::increment;
      } else if (adds_up_lanes && is_for_all_lanes(instruction, first, forms)) {
        execution.kind = Execution::Kind::one_lane;
      }
      if (one.turns) {
        body.in_pieces[{first.operation, one.bytes}] += bytes_of(one);
      } else {
        ++body.once[kind_of(first.operation, one.bytes)];
      }
      executions.by_instruction[first.instruction] = execution;
      for (const PtxAccess* const member : std::span(one.members).subspan(1))
        executions.by_instruction[member->instruction] = {.kind = Execution::Kind::elsewhere};
    }
  }

  bool agrees_with(const Totals& totals) {
    std::vector<const Body*> loops;
    for (const auto& [loop, body] : bodies_) {
      if (loop != 0) loops.push_back(&body);
    }
    return UnrollingSearch(std::move(loops), totals).succeeds(bodies_[0]);
  }

  Executions executions;

 private:
  /// The bytes that the members of one turn take.
  static int bytes_of(const Joined& joined) {
    int bytes = 0;
    for (const PtxAccess* const member : joined.members) bytes += member->bytes;
    return bytes;
  }

  std::map<std::uint32_t, Body> bodies_;  ///< by the loop's end; 0: outside of all
};

}  // namespace

Executions match_totals(const ptx::Function& function, const ptx::Layout& layout,
                        const MachineFunction& machine) {
  const AddressForms forms(function, layout);
  const std::vector<PtxAccess> accesses = accesses_of(function, forms);
  const Totals totals = totals_of(machine);
  const bool adds_up_lanes = std::ranges::any_of(machine.accesses, [](const MachineAccess& access) {
    return access.instruction.operation == count_lanes;
  });
  std::optional<Plan> plan;
  for (const bool across_turns : {false, true}) {
    plan.emplace(function, forms, accesses, across_turns, adds_up_lanes);
    plan->executions.exact = plan->agrees_with(totals);
    if (plan->executions.exact) return plan->executions;
  }
  plan.emplace(function, forms, accesses, false, adds_up_lanes);
  for (auto& [instruction, execution] : plan->executions.by_instruction) execution.exact = false;
  return plan->executions;
}

}  // namespace weft::emulator
