#include "emulator/ptxas/accesses.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "emulator/ptx/instruction.hpp"

namespace weft::emulator {
namespace {

using ptx::Instruction;
using ptx::Operand;
using ptx::Space;

/// Instructions behind which nothing is joined with what was before.
bool ends_stretch(const Instruction& instruction) {
  static constexpr std::array<std::string_view, 10> opcodes{"bra", "brx",  "call",   "ret",   "exit",
                                                            "bar", "trap", "membar", "fence", "barrier"};
  return std::ranges::find(opcodes, instruction.parts.front()) != opcodes.end();
}

/// Calls `visit(from, to)` for each jump, with indices of instructions.
void each_jump(const ptx::Function& function, auto visit) {
  for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
    for (const Operand& operand : function.instructions[i].operands) {
      if (operand.kind == Operand::Kind::label) visit(i, operand.index);
    }
  }
  for (const std::vector<std::uint32_t>& targets : function.branch_targets) {
    for (const std::uint32_t target : targets) visit(0, target);
  }
}

std::optional<MachineOperation> plain_operation(Space space, bool store) {
  using enum MachineOperation;
  if (space == Space::global) return store ? store_global : load_global;
  if (space == Space::shared) return store ? store_shared : load_shared;
  if (space == Space::generic) return store ? store_generic : load_generic;
  return std::nullopt;
}

std::optional<MachineOperation> operation_of(const Instruction& instruction) {
  using enum MachineOperation;
  const std::string_view opcode = instruction.parts.front();
  const Space space = space_of(instruction);
  if (opcode == "ld" || opcode == "ldu") return plain_operation(space, false);
  if (opcode == "st") return plain_operation(space, true);
  if (opcode == "atom" || opcode == "red") {
    if (space == Space::shared) return atomic_shared;
    if (space == Space::generic) return atomic_generic;
    return opcode == "red" ? reduce_global : atomic_global;
  }
  if (opcode == "ldmatrix") return load_matrix;
  if (opcode == "stmatrix") return store_matrix;
  const bool copies = opcode == "cp" && instruction.has("async") && !instruction.has("bulk");
  if (copies && instruction.operands.size() >= 2) return copy_global_to_shared;
  return std::nullopt;
}

bool is_store(const Instruction& instruction) { return instruction.parts.front() == "st"; }

bool may_touch_shared(MachineOperation operation) {
  using enum MachineOperation;
  return operation == load_shared || operation == store_shared || operation == atomic_shared ||
         operation == load_generic || operation == store_generic || operation == atomic_generic ||
         operation == load_matrix || operation == store_matrix;
}

int writes(MachineOperation operation) {
  using enum MachineOperation;
  return operation == load_shared || operation == load_generic || operation == load_matrix ? 0 : 1;
}

/// First and last instruction of each.
using Loops = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

std::uint32_t innermost(const Loops& loops, std::uint32_t instruction) {
  std::pair<std::uint32_t, std::uint32_t> best{0, ~0U};
  for (const auto& [first, last] : loops) {
    if (first <= instruction && instruction <= last && last - first < best.second - best.first)
      best = {first, last};
  }
  return best.second == ~0U ? 0 : best.second;
}

int element_bytes_of(const Instruction& instruction) {
  const auto type = ptx::type_named(instruction.parts.back());
  return type ? ptx::bytes_of(*type) : 0;
}

int bytes_of(const Instruction& instruction) {
  const auto type = ptx::type_named(instruction.parts.back());
  if (instruction.parts.front() == "cp")
    return instruction.operands.size() > 2 ? static_cast<int>(instruction.operands[2].bits) : 0;
  if (!type) return 0;
  if (instruction.parts.front().ends_with("matrix")) {
    constexpr int register_bytes = 4;  // of a matrix's in a lane
    return register_bytes * (instruction.has("x4") ? 4 : (instruction.has("x2") ? 2 : 1));
  }
  int count = 1;
  if (instruction.has("v2")) count = 2;
  if (instruction.has("v4")) count = 4;
  if (instruction.has("v8")) count = 8;
  return ptx::bytes_of(*type) * count;
}

/// One lane adds for all if all add to the same place, and the processor can add up 32-bit integers across a
/// warp; of wider ones, lanes that all add the same number are counted.
bool may_add_up_lanes(const Instruction& instruction, MachineOperation operation) {
  static constexpr std::array<std::string_view, 6> functions{"add", "min", "max", "and", "or", "xor"};
  static constexpr std::array<std::string_view, 3> types{"u32", "s32", "b32"};
  const std::string_view type = instruction.parts.back();
  const bool multiple = operation != MachineOperation::atomic_shared && instruction.has("add") &&
                        type == "u64" && instruction.operands.back().kind == Operand::Kind::integer;
  return is_atomic(operation) &&
         std::ranges::any_of(functions, [&](std::string_view name) { return instruction.has(name); }) &&
         (multiple || std::ranges::find(types, type) != types.end());
}

bool may_join(const Instruction& instruction) {
  static constexpr std::array<std::string_view, 5> ordered{"volatile", "relaxed", "acquire", "release",
                                                           "mmio"};
  const auto orders = [](std::string_view part) { return std::ranges::find(ordered, part) != ordered.end(); };
  return !instruction.guarded && std::ranges::none_of(instruction.parts, orders);
}

}  // namespace

std::vector<PtxAccess> accesses_of(const ptx::Function& function, const AddressForms& forms) {
  std::set<std::uint32_t> labels;
  Loops loops;
  each_jump(function, [&](std::uint32_t from, std::uint32_t to) {
    labels.insert(to);
    if (to <= from) loops.emplace_back(to, from);
  });
  std::vector<PtxAccess> accesses;
  std::uint32_t stretch = 0;
  std::uint32_t phase = 0;
  MachineOperation last = MachineOperation::count_lanes;
  AddressRoot last_root;
  for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
    const Instruction& instruction = function.instructions[i];
    if (labels.contains(i)) ++stretch;
    if (ends_stretch(instruction)) ++stretch;
    const auto operation = operation_of(instruction);
    if (!operation || instruction.operands.size() < 2) continue;
    const Operand& address = instruction.operands[is_store(instruction) ? 0 : 1];
    const AddressForm form = forms.of(address);
    if (may_touch_shared(*operation)) {
      const bool alike = *operation == last && (writes(last) == 0 || form.root == last_root);
      if (!alike && writes(*operation) + writes(last) > 0) ++phase;
      last = *operation;
      last_root = form.root;
    }
    accesses.push_back({
        .instruction = i,
        .operation = *operation,
        .bytes = bytes_of(instruction),
        .element_bytes = element_bytes_of(instruction),
        .address = form,
        .stretch = stretch,
        .may_join = may_join(instruction),
        .may_add_up_lanes = may_add_up_lanes(instruction, *operation),
        .loop = innermost(loops, i),
        .phase = phase,
    });
  }
  return accesses;
}

}  // namespace weft::emulator
