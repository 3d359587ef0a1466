#include "emulator/ptxas/executions.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "emulator/ptxas/fragment.hpp"
#include "emulator/ptxas/guards.hpp"
#include "emulator/ptxas/late_loads.hpp"
#include "emulator/ptxas/unrolled.hpp"

namespace weft::emulator {
namespace {

using enum MachineOperation;

/// Whether an instruction of the PTX can become this one of the machine.
bool can_become(MachineOperation ptx, MachineOperation machine) {
  switch (ptx) {
    case load_generic:
      return machine == load_generic || machine == load_shared || machine == load_global ||
             machine == load_local;
    case store_generic:
      return machine == store_generic || machine == store_shared || machine == store_global ||
             machine == store_local;
    case atomic_global:
    case reduce_global:
      return machine == atomic_global || machine == reduce_global || machine == count_lanes;
    case atomic_shared:
      return machine == atomic_shared || machine == compare_and_swap_shared || machine == load_shared ||
             machine == increment_shared || machine == count_lanes;
    case atomic_generic:
      return machine == atomic_generic || machine == compare_and_swap_shared || machine == load_shared ||
             machine == load_generic || machine == store_generic || machine == atomic_global ||
             machine == reduce_global || machine == atomic_shared || machine == count_lanes;
    default:
      return ptx == machine;
  }
}

Execution atomic_execution(MachineOperation ptx, const std::vector<MachineInstruction>& machine) {
  const auto has = [&](MachineOperation operation) {
    return std::ranges::find(machine, operation, &MachineInstruction::operation) != machine.end();
  };
  Execution execution;
  // A generic one that is a loop in shared memory alone, or that has become a reduction, is counted
  // otherwise.
  if (ptx == atomic_generic && (has(compare_and_swap_shared) || has(reduce_global))) execution.exact = false;
  if (ptx == atomic_generic && has(atomic_shared)) execution.found_shared = true;
  execution.gives_back = ptx == atomic_global && has(atomic_global);
  if (has(count_lanes)) {
    execution.kind = Execution::Kind::one_lane;
    // The lane is chosen by a guard: what has none adds for its own lane.
    execution.exact = execution.exact && std::ranges::all_of(machine, [](const MachineInstruction& one) {
                        return one.guarded || !is_atomic(one.operation);
                      });
  }
  if (has(increment_shared)) execution.kind = Execution::Kind::increment;
  if (has(load_shared) && has(compare_and_swap_shared)) execution.kind = Execution::Kind::swap_loop;
  return execution;
}

bool adds_up_lanes(const std::vector<MachineInstruction>& machine) {
  return std::ranges::find(machine, count_lanes, &MachineInstruction::operation) != machine.end();
}

/// Finds out which accesses were joined to the ones that the machine code has.
class Matcher {
 public:
  Matcher(const ptx::Function& function, const AddressForms& forms, Executions& result)
      : function_(function), forms_(forms), result_(result) {}

  /// An access that the machine code has, at this width.
  void add_found(const PtxAccess& access, const std::vector<MachineInstruction>& machine) {
    if (is_atomic(access.operation)) {
      Execution execution = atomic_execution(access.operation, machine);
      if (execution.kind == Execution::Kind::itself && may_use_others_vote(access, machine)) {
        // A guard that is not the PTX's is that of the lane that adds for all.
        execution.kind = Execution::Kind::one_lane;
        execution.exact = execution.exact && !place_of_guard(function_, access.instruction);
      }
      set(access, execution);
      if (adds_up_lanes(machine)) stretches_of_votes_.insert(access.stretch);
      return;
    }
    const int bytes = machine.front().bytes;
    const bool alike =
        std::ranges::all_of(machine, [&](const MachineInstruction& one) { return one.bytes == bytes; });
    if (!alike || bytes < access.bytes) {
      set(access, {.exact = false});
    } else if (bytes == access.bytes) {
      const MachineOperation operation = machine.front().operation;
      set(access, {.found_shared = operation == load_shared || operation == store_shared});
    } else {
      leaders_.push_back({&access, bytes});
    }
  }

  /// An access that the machine code does not have by itself.
  void add_missing(const PtxAccess& access) { missing_.push_back(&access); }

  void match() {
    // First those whose place is known; then those that come from their lowest access, which is the rule.
    std::erase_if(leaders_, [&](const Leader& leader) { return match_aligned(leader); });
    std::erase_if(leaders_,
                  [&](const Leader& leader) { return match_from(leader, leader.access->address.offset); });
    std::erase_if(leaders_, [&](const Leader& leader) { return match_anywhere(leader); });
    for (const Leader& leader : leaders_) match_turns(leader);
    for (const PtxAccess* const access : missing_) set(*access, {.exact = false});
  }

 private:
  struct Leader {
    const PtxAccess* access;
    int bytes;
  };

  /// Of several atomics, one behind the other, the first finds out for all how many lanes there are.
  [[nodiscard]] bool may_use_others_vote(const PtxAccess& access,
                                         const std::vector<MachineInstruction>& machine) const {
    return access.may_add_up_lanes && stretches_of_votes_.contains(access.stretch) &&
           std::ranges::all_of(machine, &MachineInstruction::guarded);
  }

  void set(const PtxAccess& access, const Execution& execution) {
    result_.by_instruction[access.instruction] = execution;
  }

  /// The missing accesses that, with the leader, fill the bytes from `start` on one after the other.
  /// @return how far they get; nothing if the leader would not be among them
  int fill(const Leader& leader, std::int64_t start, std::vector<const PtxAccess*>& members) const {
    const PtxAccess& first = *leader.access;
    std::int64_t at = start;
    while (at < start + leader.bytes) {
      if (at == first.address.offset) {
        at += first.bytes;
        continue;
      }
      const auto next = std::ranges::find_if(missing_, [&](const PtxAccess* access) {
        return belongs(*access, leader) && access->address.offset == at;
      });
      if (next == missing_.end()) break;
      members.push_back(*next);
      at += (*next)->bytes;
    }
    return static_cast<int>(at - start);
  }

  void join(const Leader& leader, std::int64_t start, const std::vector<const PtxAccess*>& members,
            bool turns) {
    Execution execution;
    execution.bytes = static_cast<std::int8_t>(leader.bytes);
    execution.offset = static_cast<std::int8_t>(start - leader.access->address.offset);
    execution.once_per_width = turns;
    set(*leader.access, execution);
    for (const PtxAccess* const member : members) {
      set(*member, {.kind = Execution::Kind::elsewhere});
      std::erase(missing_, member);
    }
  }

  /// A wide load takes in what is wanted of its bytes, and need not want all of them.
  bool match_aligned(const Leader& leader) {
    const PtxAccess& first = *leader.access;
    const int alignment = forms_.alignment(first.address.root);
    if (alignment < std::countr_zero(static_cast<unsigned>(leader.bytes))) return false;
    const std::int64_t start = first.address.offset & -std::int64_t{leader.bytes};
    std::vector<const PtxAccess*> members;
    int wanted = first.bytes;
    for (const PtxAccess* const access : missing_) {
      if (!belongs(*access, leader)) continue;
      const std::int64_t at = access->address.offset - start;
      if (at < 0 || at >= leader.bytes) continue;
      members.push_back(access);
      wanted += access->bytes;
    }
    const bool all = wanted == leader.bytes;
    if (members.empty() || (!all && first.operation != load_shared)) return false;
    join(leader, start, members, false);
    return true;
  }

  static bool belongs(const PtxAccess& access, const Leader& leader) {
    const PtxAccess& first = *leader.access;
    return access.operation == first.operation && access.stretch == first.stretch && access.may_join &&
           access.address.root == first.address.root;
  }

  bool match_from(const Leader& leader, std::int64_t start) {
    std::vector<const PtxAccess*> members;
    if (fill(leader, start, members) != leader.bytes) return false;
    join(leader, start, members, false);
    return true;
  }

  bool match_anywhere(const Leader& leader) {
    for (int back = leader.access->bytes; back < leader.bytes; back += leader.access->bytes) {
      if (match_from(leader, leader.access->address.offset - back)) return true;
    }
    return false;
  }

  /// A loop that ptxas unrolled: accesses of several turns are joined.
  void match_turns(const Leader& leader) {
    std::vector<const PtxAccess*> members;
    const std::int64_t start = leader.access->address.offset;
    const int filled = fill(leader, start, members);
    if (leader.access->loop != 0 && std::has_single_bit(static_cast<unsigned>(filled))) {
      join(leader, start, members, true);
    } else {
      set(*leader.access, {.exact = false});
    }
  }

  const ptx::Function& function_;
  const AddressForms& forms_;
  Executions& result_;
  std::set<std::uint32_t> stretches_of_votes_;
  std::vector<Leader> leaders_;
  std::vector<const PtxAccess*> missing_;
};

/// Counts the instructions of an access where their guards are.
void tally(const ptx::Function& function, const PtxAccess& access,
           const std::vector<MachineInstruction>& machine, int idle_loads, Executions& result) {
  Execution& execution = result.by_instruction[access.instruction];
  const bool guarded = std::ranges::any_of(machine, &MachineInstruction::guarded);
  const bool unsure = guarded && !std::ranges::all_of(machine, &MachineInstruction::guarded);
  const bool counted = is_counted_at_guard(access.operation) && execution.kind == Execution::Kind::itself &&
                       !execution.once_per_width;
  const bool moves = guarded && counted;
  if (!moves && idle_loads == 0) return;
  std::optional<std::uint32_t> place = access.instruction;
  if (guarded) place = place_of_guard(function, access.instruction);
  if (!place) {
    execution.exact = false;
    return;
  }
  if (idle_loads > 0) result.tallies.emplace(*place, Tally{load_shared, idle_loads, access.instruction});
  if (!moves) return;
  execution.tallied = true;
  result.tallies.emplace(*place, Tally{access.operation, 1, access.instruction, unsure});
}

/// wmma's loads and stores, each of which is several accesses: whether the machine code does them as it is
/// known to.
void match_fragments(const ptx::Function& function, const MachineLines& lines,
                     std::map<std::uint32_t, MachineOperation>& known, Executions& result) {
  for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
    const ptx::Instruction& instruction = function.instructions[i];
    const bool moves = instruction.parts.front() == "wmma" && instruction.parts.size() > 2 &&
                       (instruction.parts[1] == "load" || instruction.parts[1] == "store");
    if (!moves) continue;
    MatrixShape shape;
    for (const std::string_view part : instruction.parts) {
      if (shape.rows == 0) shape = shape_named(part);
    }
    constexpr int lanes = 32;
    const int registers =
        elements_of(shape, instruction.parts[2]) / (lanes * elements_per_register(instruction.parts.back()));
    const FragmentAccess access = fragment_access(instruction, shape, registers);
    const auto line = static_cast<std::uint32_t>(instruction.line);
    const std::vector<MachineInstruction> machine = lines.at(line);
    const bool alike = std::ranges::all_of(machine, [&](const MachineInstruction& one) {
      return one.operation == access.operation && one.bytes == access.bytes && !one.guarded;
    });
    const bool exact = access.known && alike && !machine.empty() &&
                       machine.size() % static_cast<std::size_t>(access.instructions) == 0;
    result.by_instruction[i] = {.exact = exact};
    if (exact) known[line] = access.operation;
  }
}

/// What an access of the PTX became.
std::vector<MachineInstruction> machine_of(const PtxAccess& access, const ptx::Function& function,
                                           const MachineLines& lines) {
  std::vector<MachineInstruction> machine =
      lines.at(static_cast<std::uint32_t>(function.instructions[access.instruction].line));
  std::erase_if(machine,
                [&](const MachineInstruction& one) { return !can_become(access.operation, one.operation); });
  return machine;
}

}  // namespace

Execution Executions::of(std::uint32_t instruction) const {
  const auto found = by_instruction.find(instruction);
  if (found != by_instruction.end()) return found->second;
  Execution unknown;
  unknown.exact = exact;
  return unknown;
}

MachineLines::MachineLines(const Cubin& cubin) {
  for (const auto& [name, function] : cubin.functions) {
    for (const MachineAccess& access : function.accesses) {
      if (access.ptx_line == 0) continue;
      if (access.instruction.operation == branch) {
        if (access.instruction.guarded) first_branch_.try_emplace(access.ptx_line, access.address);
        continue;
      }
      first_access_.try_emplace(access.ptx_line, access.address);
      if (access.instruction.never) {
        ++idle_[access.ptx_line];
      } else {
        by_line_.emplace(access.ptx_line, access.instruction);
      }
    }
  }
}

std::vector<MachineInstruction> MachineLines::at(std::uint32_t line) const {
  std::vector<MachineInstruction> found;
  const auto [first, last] = by_line_.equal_range(line);
  for (auto at = first; at != last; ++at) found.push_back(at->second);
  return found;
}

Executions match_lines(const ptx::Function& function, const ptx::Layout& layout, const MachineLines& lines) {
  Executions result;
  const AddressForms forms(function, layout);
  const std::vector<PtxAccess> accesses = accesses_of(function, forms);
  Matcher matcher(function, forms, result);
  std::map<std::uint32_t, MachineOperation> known;
  for (const PtxAccess& access : accesses) {
    known[static_cast<std::uint32_t>(function.instructions[access.instruction].line)] = access.operation;
    const std::vector<MachineInstruction> machine = machine_of(access, function, lines);
    if (machine.empty()) {
      matcher.add_missing(access);
    } else {
      matcher.add_found(access, machine);
    }
  }
  matcher.match();
  for (const PtxAccess& access : accesses) {
    const std::vector<MachineInstruction> machine = machine_of(access, function, lines);
    const int copies = std::max(1, static_cast<int>(machine.size()));
    const auto line = static_cast<std::uint32_t>(function.instructions[access.instruction].line);
    tally(function, access, machine, lines.idle_at(line) / copies, result);
    if (machine.empty()) continue;
    result.by_instruction[access.instruction].copies = static_cast<int>(
        std::ranges::count(machine, machine.front().operation, &MachineInstruction::operation));
  }
  find_unrolled_exits(function, accesses, result);
  for (const PtxAccess& access : accesses) {
    const auto around = branch_that_may_come_first(function, access);
    if (!around) continue;
    const auto line = static_cast<std::uint32_t>(function.instructions[access.instruction].line);
    const auto branch_line = static_cast<std::uint32_t>(function.instructions[*around].line);
    if (lines.is_behind_branch(line, branch_line)) result.early_branches.insert(*around);
  }
  match_fragments(function, lines, known, result);
  result.exact = std::ranges::all_of(result.by_instruction, [](const auto& one) { return one.second.exact; });
  if (function.instructions.empty()) return result;
  lines.each_between(static_cast<std::uint32_t>(function.instructions.front().line),
                     static_cast<std::uint32_t>(function.instructions.back().line),
                     [&](std::uint32_t line, const MachineInstruction& one) {
                       const auto access = known.find(line);
                       const bool expected =
                           access != known.end() && can_become(access->second, one.operation);
                       if (is_counted(one.operation) && !expected) result.exact = false;
                     });
  return result;
}

}  // namespace weft::emulator
