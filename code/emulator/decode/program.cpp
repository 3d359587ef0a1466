#include "emulator/decode/program.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "emulator/decode/decoder.hpp"
#include "emulator/decode/layout.hpp"
#include "emulator/error.hpp"
#include "emulator/memory/allocations.hpp"
#include "emulator/ptx/parser.hpp"

namespace weft::emulator {

Program::Program(std::string ptx, std::optional<Cubin> machine_code)
    : text_(std::move(ptx)), machine_code_(std::move(machine_code)), module_(ptx::parse(text_)) {
  allocate_variables();
}

void Program::allocate_variables() {
  const auto allocate = [](std::uint64_t bytes, const std::string& name) {
    void* const memory = device_memory().allocate(bytes, Allocation::Kind::variable, name);
    if (memory == nullptr) throw Error("no memory for variable " + name);
    return static_cast<std::byte*>(memory);
  };
  parameter_bank_ = allocate(parameter_bank_bytes, "(the kernel's parameters)");
  for (const ptx::Variable& variable : module_.variables) {
    if (variable.space != ptx::Space::global && variable.space != ptx::Space::constant) continue;
    const std::string name(variable.name);
    if (addresses_.contains(name)) continue;
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

const Routine* Program::kernel(std::string_view name) {
  const auto known = kernels_.find(name);
  if (known != kernels_.end()) return known->second.get();
  const auto function = std::ranges::find_if(module_.functions, [&](const ptx::Function& candidate) {
    return candidate.kernel && candidate.defined && candidate.name == name;
  });
  if (function == module_.functions.end()) return nullptr;
  const Layout layout =
      lay_out(module_, *function, addresses_, reinterpret_cast<std::uint64_t>(parameter_bank_));
  auto routine = std::make_unique<Routine>(decode(module_, *function, layout, sites_));
  return (kernels_[std::string(name)] = std::move(routine)).get();
}

Program::Symbol Program::symbol(std::string_view name) const {
  const auto found = addresses_.find(name);
  if (found == addresses_.end()) return {};
  const auto variable = std::ranges::find(module_.variables, name, &ptx::Variable::name);
  return {reinterpret_cast<void*>(found->second), variable->bytes};
}

}  // namespace weft::emulator
