#include "emulator/ptx/layout.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace weft::emulator::ptx {
namespace {

std::uint64_t append(std::uint64_t& bytes, const Variable& variable) {
  const std::uint64_t offset = (bytes + variable.align - 1) / variable.align * variable.align;
  bytes = offset + variable.bytes;
  return offset;
}

void collect_names(const Operand& operand, std::set<std::string_view>& names) {
  if (!operand.name.empty()) names.insert(operand.name);
  for (const Operand& part : operand.parts) collect_names(part, names);
}

/// Names that functions use.
std::set<std::string_view> names_used(const std::vector<const Function*>& functions) {
  std::set<std::string_view> names;
  for (const Function* const function : functions) {
    for (const Instruction& instruction : function->instructions) {
      for (const Operand& operand : instruction.operands) collect_names(operand, names);
    }
  }
  return names;
}

/// Lays out a function's own variables; those in shared memory follow what is there already.
void lay_out_own(const Function& function, std::uint64_t& shared_bytes, Layout& layout) {
  const auto parameters = function.results.size() + function.parameters.size();
  layout.own.resize(function.variables.size());
  std::vector<std::size_t> passed;  // what a call passes lives in the braces around the call alone
  for (std::size_t i = 0; i < function.variables.size(); ++i) {
    const Variable& variable = function.variables[i];
    if (variable.space == Space::shared) {
      layout.own[i] = append(shared_bytes, variable);
    } else if (variable.space == Space::param && variable.scope != 0) {
      passed.push_back(i);
    } else if (variable.space == Space::param && function.kernel && i < parameters) {
      layout.own[i] = append(layout.parameter_bytes, variable);
    } else {  // a device function's parameters are local, too
      layout.own[i] = append(layout.local_bytes, variable);
    }
  }
  std::uint64_t end = layout.local_bytes;
  std::uint64_t at = layout.local_bytes;
  int scope = 0;
  for (const std::size_t i : passed) {
    const Variable& variable = function.variables[i];
    if (std::exchange(scope, variable.scope) != variable.scope) at = layout.local_bytes;
    layout.own[i] = append(at, variable);
    end = std::max(end, at);
  }
  layout.local_bytes = (end + 15) / 16 * 16;
}

}  // namespace

std::vector<Layout> lay_out(const Module& module, const std::vector<const Function*>& functions,
                            const std::map<std::string, std::uint64_t, std::less<>>& addresses,
                            std::uint64_t parameter_bank) {
  const std::set<std::string_view> used = names_used(functions);
  std::map<std::string, std::uint64_t, std::less<>> shared;
  std::uint64_t shared_bytes = 0;
  std::uint64_t dynamic_align = 16;
  bool has_dynamic = false;
  for (const Variable& variable : module.variables) {
    if (variable.space != Space::shared || !used.contains(variable.name)) continue;
    if (variable.external) {
      has_dynamic = true;
      dynamic_align = std::max(dynamic_align, variable.align);
    } else {
      shared[std::string(variable.name)] = append(shared_bytes, variable);
    }
  }
  std::vector<Layout> layouts(functions.size());
  for (std::size_t i = 0; i < functions.size(); ++i) lay_out_own(*functions[i], shared_bytes, layouts[i]);

  // Dynamic shared memory follows the static one; all its names stand for the same place.
  if (has_dynamic) {
    shared_bytes = (shared_bytes + dynamic_align - 1) / dynamic_align * dynamic_align;
    for (const Variable& variable : module.variables) {
      if (variable.space == Space::shared && variable.external) {
        shared[std::string(variable.name)] = shared_bytes;
      }
    }
  }
  for (Layout& layout : layouts) {
    layout.addresses = &addresses;
    layout.parameter_bank = parameter_bank;
    layout.shared = shared;
    layout.shared_bytes = shared_bytes;
  }
  return layouts;
}

}  // namespace weft::emulator::ptx
