#include "emulator/load/program.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "emulator/decode/decoder.hpp"
#include "emulator/error.hpp"
#include "emulator/handlers/instruction_table.hpp"
#include "emulator/load/call_graph.hpp"
#include "emulator/memory/allocations.hpp"
#include "emulator/ptx/layout.hpp"
#include "emulator/ptx/parser.hpp"
#include "emulator/ptxas/schedule.hpp"

namespace weft::emulator {
namespace {

/// Of a thread, where recursion or calls by address set no bound. A GPU's default is 1 KiB, but there most of
/// what a call keeps lies in registers.
constexpr std::uint32_t recursive_stack_bytes = 32U << 10;

bool accesses_local(const MachineFunction& machine) {
  return std::ranges::any_of(machine.accesses, [](const MachineAccess& access) {
    return access.instruction.operation == MachineOperation::load_local ||
           access.instruction.operation == MachineOperation::store_local;
  });
}

}  // namespace

Program::Program(std::string ptx, std::optional<Cubin> machine_code)
    : text_(std::move(ptx)), machine_code_(std::move(machine_code)), module_(ptx::parse(text_)) {
  if (machine_code_) machine_lines_.emplace(*machine_code_);
  address_functions();
  allocate_variables();
}

void Program::Unmap::operator()(void* place) const { munmap(place, bytes); }

void Program::Free::operator()(std::byte* variable) const { device_memory().free(variable); }

/// Functions get addresses at which nothing can be read.
void Program::address_functions() {
  const std::uint64_t bytes = std::max<std::uint64_t>(module_.functions.size(), 1) * Callables::spacing;
  void* const place = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) throw Error("no room for the addresses of functions");
  function_addresses_ = std::unique_ptr<void, Unmap>(place, {bytes});
  for (std::size_t i = 0; i < module_.functions.size(); ++i) {
    addresses_[std::string(module_.functions[i].name)] =
        reinterpret_cast<std::uint64_t>(place) + i * Callables::spacing;
  }
}

void Program::allocate_variables() {
  const auto allocate = [&](std::uint64_t bytes, const std::string& name) {
    void* const memory = device_memory().allocate(bytes, Allocation::Kind::variable, name);
    if (memory == nullptr) throw Error("no memory for variable " + name);
    variables_.emplace_back(static_cast<std::byte*>(memory));
    return variables_.back().get();
  };
  parameter_bank_ = allocate(parameter_bank_bytes, "(the kernel's parameters)");
  for (const ptx::Variable& variable : module_.variables) {
    if (variable.space != ptx::Space::global && variable.space != ptx::Space::constant) continue;
    const std::string name(variable.name);
    if (addresses_.contains(name) || (variable.external && is_defined(variable.name))) continue;
    std::byte* const memory = allocate(variable.bytes, name);
    std::ranges::copy(std::as_bytes(std::span(variable.initial)), memory);
    addresses_[name] = reinterpret_cast<std::uint64_t>(memory);
  }
  for (const ptx::Variable& variable : module_.variables) {
    for (const ptx::Relocation& relocation : variable.relocations) {
      const auto target = addresses_.find(relocation.name);
      if (target == addresses_.end()) {
        throw Error("variable " + std::string(variable.name) + " holds the address of " +
                    std::string(relocation.name) + ", which is not known here");
      }
      const std::uint64_t address = target->second + relocation.addend;
      const auto place = addresses_.find(variable.name);
      std::memcpy(reinterpret_cast<std::byte*>(place->second) + relocation.offset, &address, sizeof address);
    }
  }
}

/// Whether a variable of that name is not only declared.
bool Program::is_defined(std::string_view name) const {
  return std::ranges::any_of(module_.variables, [&](const ptx::Variable& variable) {
    return variable.name == name && !variable.external;
  });
}

const Routine* Program::kernel(std::string_view name) {
  const auto known = kernels_.find(name);
  if (known != kernels_.end()) return known->second->routines.front().get();
  const auto function = std::ranges::find_if(module_.functions, [&](const ptx::Function& candidate) {
    return candidate.kernel && candidate.defined && candidate.name == name;
  });
  if (function == module_.functions.end()) return nullptr;
  std::unique_ptr<Loaded> loaded = load(*function);
  return (kernels_[std::string(name)] = std::move(loaded))->routines.front().get();
}

Executions Program::executions_of(const ptx::Function& function, const ptx::Layout& layout) const {
  const MachineFunction* const machine = machine_function(function.name);
  static const MachineFunction unknown;
  Executions executions = machine_lines_ && !machine_lines_->empty()
                              ? match_lines(function, layout, *machine_lines_)
                              : match_totals(function, layout, machine != nullptr ? *machine : unknown);
  const bool inlined = machine == nullptr;  // into the machine code of whoever calls it, whose lines tell
  if (inlined && (!machine_lines_ || machine_lines_->empty())) executions.exact = false;
  executions.has_local = inlined ? machine_code_.has_value() : accesses_local(*machine);
  mark_scheduled(function, executions);
  return executions;
}

/// What is to be doubted of all that a kernel counts.
std::set<Doubt> Program::doubts_of(const ptx::Function& kernel, const CallGraph& graph) const {
  if (!machine_code_ || machine_code_->of_other_card) return {Doubt::no_machine_code};
  const MachineFunction* const machine = machine_function(kernel.name);
  if (machine == nullptr || !accesses_local(*machine)) return {};
  std::uint64_t own_bytes = 0;
  for (const ptx::Variable& variable : kernel.variables)
    own_bytes += variable.space == ptx::Space::local ? variable.bytes : 0;
  constexpr std::uint64_t frame_alignment = 16;
  const bool keeps_more = machine->frame_bytes >= own_bytes + frame_alignment;  // registers, too
  return keeps_more || graph.functions.size() > 1 ? std::set{Doubt::local_memory} : std::set<Doubt>{};
}

std::unique_ptr<Program::Loaded> Program::load(const ptx::Function& kernel) {
  const CallGraph graph = call_graph(module_, kernel);
  std::vector<ptx::Layout> layouts =
      ptx::lay_out(module_, graph.functions, addresses_, reinterpret_cast<std::uint64_t>(parameter_bank_));
  auto loaded = std::make_unique<Loaded>();
  loaded->callables.start = reinterpret_cast<std::uint64_t>(function_addresses_.get());
  loaded->callables.by_number.resize(module_.functions.size());
  std::map<std::string_view, const Routine*> by_name;
  for (const ptx::Function* const function : graph.functions) {
    loaded->routines.push_back(std::make_unique<Routine>());
    if (function->kernel) continue;
    by_name[function->name] = loaded->routines.back().get();
    loaded->callables.by_number[static_cast<std::size_t>(function - module_.functions.data())] =
        loaded->routines.back().get();
  }
  std::vector<std::uint64_t> local_bytes;
  bool order_matters = false;
  bool reserves_shared = false;
  for (std::size_t i = 0; i < graph.functions.size(); ++i) {
    Routine& routine = *loaded->routines[i];
    const ptx::Function& function = *graph.functions[i];
    const Executions executions = executions_of(function, layouts[i]);
    routine = decode(module_, function, {instruction_table(), layouts[i], by_name, executions, sites_});
    routine.callables = &loaded->callables;
    order_matters = order_matters || routine.order_matters;
    reserves_shared = reserves_shared || routine.reserves_shared;
    local_bytes.push_back(routine.local_bytes);
  }
  Routine& first = *loaded->routines.front();
  for (const auto& routine : loaded->routines)
    first.doubts.insert(routine->doubts.begin(), routine->doubts.end());
  first.doubts.merge(doubts_of(kernel, graph));
  const std::optional<std::uint64_t> stack = stack_bytes(graph, local_bytes);
  first.order_matters = order_matters;
  first.reserves_shared = reserves_shared;
  first.stack_bytes = static_cast<std::uint32_t>(stack.value_or(recursive_stack_bytes));
  return loaded;
}

Program::Symbol Program::symbol(std::string_view name) const {
  const auto found = addresses_.find(name);
  const auto variable = std::ranges::find_if(module_.variables, [&](const ptx::Variable& candidate) {
    return candidate.name == name && (!candidate.external || !is_defined(name));
  });
  if (found == addresses_.end() || variable == module_.variables.end()) return {};
  return {reinterpret_cast<void*>(found->second), variable->bytes};
}

}  // namespace weft::emulator
