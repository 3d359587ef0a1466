#include "emulator/load/call_graph.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace weft::emulator {
namespace {

using Names = std::map<std::string_view, const ptx::Function*>;

/// The functions of a module that have a body, and are no kernels.
Names callable_functions(const ptx::Module& module) {
  Names names;
  for (const ptx::Function& function : module.functions) {
    if (function.defined && !function.kernel) names[function.name] = &function;
  }
  return names;
}

/// The functions whose addresses a program can hold: in its variables, or taken in its code.
std::set<const ptx::Function*> addressed_functions(const ptx::Module& module, const Names& names) {
  std::set<const ptx::Function*> found;
  const auto add = [&](std::string_view name) {
    if (const auto function = names.find(name); function != names.end()) found.insert(function->second);
  };
  for (const ptx::Variable& variable : module.variables) {
    for (const ptx::Relocation& relocation : variable.relocations) add(relocation.name);
  }
  for (const ptx::Function& function : module.functions) {
    for (const ptx::Instruction& instruction : function.instructions) {
      if (instruction.parts.front() != "mov" && instruction.parts.front() != "cvta") continue;
      for (const ptx::Operand& operand : instruction.operands) add(operand.name);
    }
  }
  return found;
}

/// Finds the functions that a kernel calls, and those that they call.
class CallSearch {
 public:
  explicit CallSearch(const ptx::Module& module) : module_(module), names_(callable_functions(module)) {}

  CallGraph run(const ptx::Function& kernel) {
    add(&kernel);
    for (std::uint32_t i = 0; i < graph_.functions.size(); ++i) {  // it grows meanwhile
      for (const ptx::Instruction& instruction : graph_.functions[i]->instructions) {
        if (instruction.parts.front() == "call") visit_call(i, instruction);
      }
    }
    return std::move(graph_);
  }

 private:
  void visit_call(std::uint32_t caller, const ptx::Instruction& call) {
    const bool returns = !call.operands.empty() && call.operands[0].kind == ptx::Operand::Kind::vector;
    const std::size_t at = returns ? 1 : 0;
    if (at >= call.operands.size()) return;
    const ptx::Operand& target = call.operands[at];
    if (target.is_reg()) {
      if (!graph_.indirect) {
        graph_.indirect = true;
        for (const ptx::Function* const function : addressed_functions(module_, names_)) add(function);
      }
    } else if (const auto function = names_.find(target.name); function != names_.end()) {
      const std::uint32_t index = add(function->second);
      graph_.callees[caller].push_back(index);
    }
  }

  std::uint32_t add(const ptx::Function* function) {
    const auto known = std::ranges::find(graph_.functions, function);
    const auto index = static_cast<std::uint32_t>(known - graph_.functions.begin());
    if (known == graph_.functions.end()) {
      graph_.functions.push_back(function);
      graph_.callees.emplace_back();
    }
    return index;
  }

  const ptx::Module& module_;
  Names names_;
  CallGraph graph_;
};

/// Depth-first; a function that is met again on the way to itself is recursive.
class Depth {
 public:
  Depth(const CallGraph& graph, const std::vector<std::uint64_t>& local_bytes)
      : graph_(graph), local_bytes_(local_bytes), below_(graph.functions.size()) {}

  /// Bytes that the callees of a function need.
  std::optional<std::uint64_t> below(std::uint32_t function) {
    if (below_[function]) return below_[function];
    if (!on_the_way_.insert(function).second) return std::nullopt;
    std::uint64_t most = 0;
    for (const std::uint32_t callee : graph_.callees[function]) {
      const auto deeper = below(callee);
      if (!deeper) return std::nullopt;
      most = std::max(most, local_bytes_[callee] + *deeper);
    }
    on_the_way_.erase(function);
    return below_[function] = most;
  }

 private:
  const CallGraph& graph_;
  const std::vector<std::uint64_t>& local_bytes_;
  std::vector<std::optional<std::uint64_t>> below_;
  std::set<std::uint32_t> on_the_way_;
};

}  // namespace

CallGraph call_graph(const ptx::Module& module, const ptx::Function& kernel) {
  return CallSearch(module).run(kernel);
}

std::optional<std::uint64_t> stack_bytes(const CallGraph& graph,
                                         const std::vector<std::uint64_t>& local_bytes) {
  if (graph.indirect) return std::nullopt;
  return Depth(graph, local_bytes).below(0);
}

}  // namespace weft::emulator
