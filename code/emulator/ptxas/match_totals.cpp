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
#include "emulator/ptxas/guards.hpp"
#include "emulator/ptxas/late_loads.hpp"
#include "emulator/ptxas/prediction.hpp"
#include "emulator/ptxas/unrolled.hpp"

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

/// Whether nobody wants to know what an atomic has found.
bool is_result_unused(const ptx::Function& function, const ptx::Instruction& instruction) {
  if (instruction.parts.front() == "red") return true;
  const ptx::Operand& result = instruction.operands.front();
  return !result.is_reg() || std::ranges::none_of(function.instructions, [&](const ptx::Instruction& one) {
    return &one != &instruction && std::ranges::any_of(one.operands, [&](const ptx::Operand& operand) {
      return is_read(operand, result.index);
    });
  });
}

/// Adding 1 to shared memory, with nobody who wants to know what was there.
bool is_increment(const ptx::Function& function, const ptx::Instruction& instruction,
                  MachineOperation operation) {
  static constexpr std::array<std::string_view, 2> types{"u32", "s32"};
  const ptx::Operand& amount = instruction.operands.back();
  if (operation != atomic_shared || !instruction.has("add") || amount.kind != ptx::Operand::Kind::integer ||
      amount.bits != 1 || std::ranges::find(types, instruction.parts.back()) == types.end())
    return false;
  return is_result_unused(function, instruction);
}

/// How often the body of each loop is there, such that all totals are right.
class UnrollingSearch {
 public:
  UnrollingSearch(std::vector<const Body*> bodies, Totals wanted)
      : bodies_(std::move(bodies)), copies_(bodies_.size(), 1), rest_(std::move(wanted)) {}

  /// @param outside code that is there once
  bool succeeds(const Body& outside) { return take(outside, 1) && place(0); }

  /// How often each body is there, once it has succeeded.
  [[nodiscard]] const std::vector<int>& copies() const { return copies_; }

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
      if (take(*bodies_[next], copies) && place(next + 1)) {
        copies_[next] = copies;
        return true;
      }
      rest_ = before;
    }
    return false;
  }

  std::vector<const Body*> bodies_;
  std::vector<int> copies_;
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
      } else if (adds_up_lanes && first.may_add_up_lanes) {
        const bool uniform = first.operation != atomic_generic && forms.is_uniform(first.address.root);
        if (uniform) execution.kind = Execution::Kind::one_lane;
        (uniform ? for_all_lanes_ : perhaps_for_all_lanes_).push_back(first.instruction);
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
    UnrollingSearch search(std::move(loops), totals);
    if (!search.succeeds(bodies_[0])) return false;
    std::size_t next = 0;
    for (const auto& [loop, body] : bodies_) {
      if (loop != 0) copies_[loop] = search.copies()[next++];
    }
    return true;
  }

  void find_unrolled_loops(const ptx::Function& function, const std::vector<PtxAccess>& accesses) {
    for (const PtxAccess& access : accesses) {
      if (access.loop != 0) executions.by_instruction[access.instruction].copies = copies_[access.loop];
    }
    find_unrolled_exits(function, accesses, executions);
  }

  /// What lines would tell, the guards have to: which atomics are one lane's for all, and which instructions
  /// a warp comes to without any lane.
  void look_at_guards(const ptx::Function& function, const std::vector<PtxAccess>& accesses,
                      const MachineFunction& machine) {
    const auto guarded = [&](auto is_meant) {
      return std::ranges::count_if(machine.accesses, [&](const MachineAccess& access) {
        return access.instruction.guarded && !access.instruction.never &&
               is_meant(access.instruction.operation);
      });
    };
    const auto chosen = guarded([](MachineOperation operation) { return is_atomic(operation); });
    if (std::cmp_less(for_all_lanes_.size(), chosen)) doubt(perhaps_for_all_lanes_);
    if (std::cmp_greater(for_all_lanes_.size(), chosen)) doubt(for_all_lanes_);
    for (const MachineOperation operation : {load_shared, store_shared, atomic_shared}) {
      if (guarded([&](MachineOperation other) { return other == operation; }) == 0) continue;
      if (!tally(function, accesses, operation)) executions.exact = false;
    }
  }

  /// Of atomics whose results nobody uses, totals tell whether all were made reductions, or none.
  void look_at_results(const ptx::Function& function, const std::vector<PtxAccess>& accesses,
                       const MachineFunction& machine) {
    const auto reductions = std::ranges::count_if(machine.accesses, [](const MachineAccess& access) {
      return access.instruction.operation == reduce_global && !access.instruction.never;
    });
    std::vector<std::uint32_t> unused;
    std::int64_t may_be = 0;
    for (const PtxAccess& access : accesses) {
      const bool is_global = access.operation == atomic_global || access.operation == reduce_global;
      if (!is_global || !is_result_unused(function, function.instructions[access.instruction])) continue;
      if (access.operation == atomic_global) unused.push_back(access.instruction);
      may_be += access.loop == 0 ? 1 : copies_[access.loop];
    }
    if (reductions == 0) {
      for (const std::uint32_t instruction : unused) executions.by_instruction[instruction].gives_back = true;
    } else if (reductions < may_be) {
      doubt(unused);
    }
  }

  /// Where loads are done only lines would tell.
  void find_early_branches(const ptx::Function& function, const std::vector<PtxAccess>& accesses) {
    for (const PtxAccess& access : accesses) {
      if (const auto branch = branch_that_may_come_first(function, access))
        executions.early_branches.insert(*branch);
    }
  }

  Executions executions;

 private:
  void doubt(const std::vector<std::uint32_t>& instructions) {
    for (const std::uint32_t instruction : instructions) executions.by_instruction[instruction].exact = false;
    executions.exact = executions.exact && instructions.empty();
  }

  /// Counts an operation's instructions where the PTX's guards are.
  /// @return whether there are any
  bool tally(const ptx::Function& function, const std::vector<PtxAccess>& accesses,
             MachineOperation operation) {
    bool any = false;
    for (const PtxAccess& access : accesses) {
      Execution& execution = executions.by_instruction[access.instruction];
      const bool by_itself = execution.kind == Execution::Kind::itself && !execution.once_per_width;
      if (access.operation != operation || !by_itself) continue;
      const auto place = place_of_guard(function, access.instruction);
      if (!place) continue;
      executions.tallies.emplace(*place, Tally{operation, 1, access.instruction, true});
      execution.tallied = true;
      any = true;
    }
    return any;
  }

  /// The bytes that the members of one turn take.
  static int bytes_of(const Joined& joined) {
    int bytes = 0;
    for (const PtxAccess* const member : joined.members) bytes += member->bytes;
    return bytes;
  }

  std::map<std::uint32_t, Body> bodies_;  ///< by the loop's end; 0: outside of all
  std::map<std::uint32_t, int> copies_;   ///< of a loop's body
  std::vector<std::uint32_t> for_all_lanes_, perhaps_for_all_lanes_;  ///< atomics that one lane may carry out
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
    if (!plan->executions.exact) continue;
    plan->look_at_guards(function, accesses, machine);
    plan->look_at_results(function, accesses, machine);
    plan->find_unrolled_loops(function, accesses);
    plan->find_early_branches(function, accesses);
    return plan->executions;
  }
  plan.emplace(function, forms, accesses, false, adds_up_lanes);
  for (auto& [instruction, execution] : plan->executions.by_instruction) execution.exact = false;
  return plan->executions;
}

}  // namespace weft::emulator
