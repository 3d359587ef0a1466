#include "emulator/ptxas/address_form.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <ranges>

#include "emulator/ptx/instruction.hpp"

namespace weft::emulator {
namespace {

using ptx::Operand;

constexpr int deepest_chain = 64;   // of additions that are followed
constexpr int anything = 64;        // the alignment of zero, and of what is not defined yet
constexpr int widest_exponent = 4;  // accesses have 16 bytes at most: as an exponent

int alignment_of_number(std::uint64_t bits) { return bits == 0 ? anything : std::countr_zero(bits); }

void each_defined(const ptx::Instruction& instruction, auto visit) {
  if (instruction.operands.empty() || has_no_result(instruction)) return;
  const auto registers = [&](const Operand& operand, const auto& self) -> void {
    if (operand.is_reg()) visit(operand.index);
    for (const Operand& part : operand.parts) self(part, self);
  };
  registers(instruction.operands.front(), registers);
}

bool is_one_of(std::string_view opcode, std::initializer_list<std::string_view> opcodes) {
  return std::ranges::find(opcodes, opcode) != opcodes.end();
}

}  // namespace

AddressForms::AddressForms(const ptx::Function& function, const ptx::Layout& layout)
    : function_(function), layout_(layout) {
  find_definitions();
  find_alignments();
}

void AddressForms::find_definitions() {
  definitions_.resize(function_.registers.size());
  std::vector<int> counts(function_.registers.size());
  for (const ptx::Instruction& instruction : function_.instructions) {
    each_defined(instruction, [&](std::uint32_t reg) {
      const bool only = ++counts[reg] == 1 && !instruction.guarded;
      definitions_[reg] = only ? &instruction : nullptr;
    });
  }
}

AddressForm AddressForms::of(const Operand& address) const {
  if (address.kind != Operand::Kind::address || address.parts.empty()) return {};
  AddressForm form = of_value(address.parts.front(), 0);
  form.offset += static_cast<std::int64_t>(address.bits);
  return form;
}

AddressForm AddressForms::of_value(const Operand& value, int depth) const {
  const auto number = static_cast<std::int64_t>(value.bits);
  if (value.kind == Operand::Kind::integer) return {{}, number};
  if (value.kind == Operand::Kind::variable) return {{AddressRoot::Kind::variable, value.index, {}}, number};
  if (value.kind == Operand::Kind::symbol) return {{AddressRoot::Kind::symbol, 0, value.name}, number};
  if (!value.is_reg()) return {};
  const AddressForm itself{{AddressRoot::Kind::reg, value.index, {}}, 0};
  const ptx::Instruction* const definition = definitions_[value.index];
  if (definition == nullptr || depth == deepest_chain) return itself;
  const std::string_view opcode = definition->parts.front();
  const auto& operands = definition->operands;
  if (opcode == "mov" && operands.size() == 2 && operands[1].kind != Operand::Kind::vector) {
    const bool special = operands[1].kind == Operand::Kind::symbol && operands[1].name.starts_with('%');
    return special ? itself : of_value(operands[1], depth + 1);
  }
  if (operands.size() == 3 && (opcode == "add" || opcode == "sub") && !definition->has("cc")) {
    const bool add = opcode == "add";
    const std::size_t constant = add && operands[1].kind == Operand::Kind::integer ? 1 : 2;
    if (operands[constant].kind != Operand::Kind::integer) return itself;
    AddressForm form = of_value(operands[3 - constant], depth + 1);
    const auto amount = static_cast<std::int64_t>(operands[constant].bits);
    form.offset += add ? amount : -amount;
    return form;
  }
  return itself;
}

bool AddressForms::is_uniform(const AddressRoot& root) const {
  if (root.kind != AddressRoot::Kind::reg) return true;
  Operand reg;
  reg.kind = Operand::Kind::reg;
  reg.index = root.index;
  return is_uniform(reg, 0);
}

bool AddressForms::is_uniform(const Operand& value, int depth) const {
  if (value.kind == Operand::Kind::symbol)
    return !value.name.starts_with("%tid") && !value.name.starts_with("%lane");
  if (!value.is_reg()) return value.kind == Operand::Kind::integer || value.kind == Operand::Kind::variable;
  const ptx::Instruction* const definition = definitions_[value.index];
  if (definition == nullptr || depth == deepest_chain) return false;
  const std::string_view opcode = definition->parts.front();
  if (opcode == "ld") return definition->has("param") && function_.kernel;
  static constexpr std::array<std::string_view, 12> pure{"mov", "cvt", "cvta", "add", "sub", "mul",
                                                         "mad", "shl", "shr",  "and", "or",  "xor"};
  const auto operands = definition->operands | std::views::drop(1);
  return std::ranges::find(pure, opcode) != pure.end() &&
         std::ranges::all_of(operands,
                             [&](const Operand& operand) { return is_uniform(operand, depth + 1); });
}

AddressForms::Stride AddressForms::stride(const AddressRoot& root) const {
  Stride stride{anything, 0};
  if (root.kind != AddressRoot::Kind::reg) return {};
  int steps = 0;
  for (const ptx::Instruction& instruction : function_.instructions) {
    bool defines = false;
    each_defined(instruction, [&](std::uint32_t reg) { defines = defines || reg == root.index; });
    if (!defines) continue;
    const auto& operands = instruction.operands;
    const bool counts = instruction.parts.front() == "add" && operands.size() == 3 && operands[1].is_reg() &&
                        operands[1].index == root.index && operands[2].kind == Operand::Kind::integer;
    if (counts) {
      ++steps;
      stride.step = static_cast<std::int64_t>(operands[2].bits);
    } else {
      stride.alignment = std::min(stride.alignment, alignment_of_result(instruction));
    }
  }
  return steps == 1 ? stride : Stride{};
}

int AddressForms::alignment(const AddressRoot& root) const {
  switch (root.kind) {
    case AddressRoot::Kind::reg:
      return alignments_[root.index];
    case AddressRoot::Kind::number:
      return anything;
    case AddressRoot::Kind::variable:
      return std::min(widest_exponent, alignment_of_number(layout_.own[root.index]));
    case AddressRoot::Kind::symbol:
      break;
  }
  const auto shared = layout_.shared.find(root.name);
  return shared == layout_.shared.end() ? 0 : std::min(widest_exponent, alignment_of_number(shared->second));
}

int AddressForms::alignment_of(const Operand& value) const {
  switch (value.kind) {
    case Operand::Kind::integer:
      return alignment_of_number(value.bits);
    case Operand::Kind::reg:
      return alignments_[value.index];
    case Operand::Kind::variable:
      return std::min(alignment({AddressRoot::Kind::variable, value.index, {}}),
                      alignment_of_number(value.bits));
    case Operand::Kind::symbol:
      return std::min(alignment({AddressRoot::Kind::symbol, 0, value.name}), alignment_of_number(value.bits));
    default:
      return 0;
  }
}

int AddressForms::alignment_of_result(const ptx::Instruction& instruction) const {
  const auto& operands = instruction.operands;
  const std::string_view opcode = instruction.parts.front();
  const auto of = [&](std::size_t i) { return i < operands.size() ? alignment_of(operands[i]) : 0; };
  const auto capped = [](int exponent) { return std::min(exponent, anything); };
  if (instruction.has("hi") || operands.front().kind != Operand::Kind::reg) return 0;
  if (is_one_of(opcode, {"mov", "cvt", "cvta"})) return of(1);
  if (is_one_of(opcode, {"add", "sub", "or", "xor", "min", "max", "selp"})) return std::min(of(1), of(2));
  if (opcode == "and") return std::max(of(1), of(2));
  if (opcode == "mul") return capped(of(1) + of(2));
  if (opcode == "mad") return std::min(capped(of(1) + of(2)), of(3));
  if (opcode == "shl" && operands.size() == 3 && operands[2].kind == Operand::Kind::integer)
    return capped(of(1) + static_cast<int>(std::min<std::uint64_t>(operands[2].bits, anything)));
  return 0;
}

void AddressForms::find_alignments() {
  alignments_.assign(function_.registers.size(), anything);
  for (bool changed = true; changed;) {
    changed = false;
    for (const ptx::Instruction& instruction : function_.instructions) {
      each_defined(instruction, [&](std::uint32_t reg) {
        const int found = alignment_of_result(instruction);
        if (found >= alignments_[reg]) return;
        alignments_[reg] = found;
        changed = true;
      });
    }
  }
}

}  // namespace weft::emulator
