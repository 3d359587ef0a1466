#include "emulator/decode/layout.hpp"

#include <algorithm>
#include <set>

namespace weft::emulator {
namespace {

std::uint64_t append(std::uint64_t& bytes, const ptx::Variable& variable) {
  const std::uint64_t offset = (bytes + variable.align - 1) / variable.align * variable.align;
  bytes = offset + variable.bytes;
  return offset;
}

void collect_names(const ptx::Operand& operand, std::set<std::string_view>& names) {
  if (!operand.name.empty()) names.insert(operand.name);
  for (const ptx::Operand& part : operand.parts) collect_names(part, names);
}

/// Names that a kernel uses, or any device function that it might call.
std::set<std::string_view> names_used(const ptx::Module& module, const ptx::Function& function) {
  std::set<std::string_view> names;
  for (const ptx::Function& other : module.functions) {
    if (other.kernel && &other != &function) continue;
    for (const ptx::Instruction& instruction : other.instructions) {
      for (const ptx::Operand& operand : instruction.operands) collect_names(operand, names);
    }
  }
  return names;
}

}  // namespace

Layout lay_out(const ptx::Module& module, const ptx::Function& function,
               const std::map<std::string, std::uint64_t, std::less<>>& addresses,
               std::uint64_t parameter_bank) {
  Layout layout;
  layout.addresses = &addresses;
  layout.parameter_bank = parameter_bank;
  const std::set<std::string_view> used = names_used(module, function);

  std::uint64_t dynamic_align = 16;
  for (const ptx::Variable& variable : module.variables) {
    if (variable.space != ptx::Space::shared || !used.contains(variable.name)) continue;
    if (variable.external) {
      dynamic_align = std::max(dynamic_align, variable.align);
    } else {
      layout.shared[std::string(variable.name)] = append(layout.shared_bytes, variable);
    }
  }
  const auto parameters = function.results.size() + function.parameters.size();
  layout.own.resize(function.variables.size());
  for (std::size_t i = 0; i < function.variables.size(); ++i) {
    const ptx::Variable& variable = function.variables[i];
    if (variable.space == ptx::Space::shared) {
      layout.own[i] = append(layout.shared_bytes, variable);
    } else if (variable.space == ptx::Space::param && function.kernel && i < parameters) {
      layout.own[i] = append(layout.parameter_bytes, variable);
    } else {  // a device function's parameters are local, too
      layout.own[i] = append(layout.local_bytes, variable);
    }
  }
  layout.local_bytes = (layout.local_bytes + 15) / 16 * 16;

  // Dynamic shared memory follows the static one; all its names stand for the same place.
  const bool has_dynamic = std::ranges::any_of(module.variables, [&](const ptx::Variable& variable) {
    return variable.space == ptx::Space::shared && variable.external && used.contains(variable.name);
  });
  if (has_dynamic) {
    layout.shared_bytes = (layout.shared_bytes + dynamic_align - 1) / dynamic_align * dynamic_align;
    for (const ptx::Variable& variable : module.variables) {
      if (variable.space == ptx::Space::shared && variable.external) {
        layout.shared[std::string(variable.name)] = layout.shared_bytes;
      }
    }
  }
  return layout;
}

}  // namespace weft::emulator
