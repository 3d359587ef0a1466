/// @file
/// Calls: of the module's functions, of functions by their address, and of those that CUDA provides.

#include <algorithm>
#include <string>

#include "emulator/decode/families.hpp"

namespace weft::emulator {
namespace {

using ptx::Operand;
using ptx::Type;

/// Where variables that a call passes lie in local memory.
std::vector<std::uint32_t> places(const Builder& builder, const Operand& list) {
  std::vector<std::uint32_t> offsets;
  for (const Operand& operand : list.parts) {
    if (operand.kind != Operand::Kind::variable)
      throw Error("an argument that is no .param variable, which is not known here");
    offsets.push_back(static_cast<std::uint32_t>(builder.layout().own[operand.index]));
  }
  return offsets;
}

}  // namespace

bool decode_call(Builder& builder) {
  const ptx::Instruction& instruction = builder.current();
  if (instruction.parts.front() != "call") return false;
  const auto& operands = instruction.operands;
  auto site = std::make_unique<CallSite>();
  std::size_t at = 0;
  if (!operands.empty() && operands[0].kind == Operand::Kind::vector) {
    site->results = places(builder, operands[0]);
    at = 1;
  }
  if (operands.size() <= at) throw Error("no function to call");
  const Operand& target = operands[at];
  if (operands.size() > at + 1 && operands[at + 1].kind == Operand::Kind::vector) {
    site->arguments = places(builder, operands[at + 1]);
  }
  if (target.is_reg()) {
    const std::uint32_t address = builder.read(target, Type::b64);
    Draft& draft = builder.emit("call.address", {}, {address});
    draft.more = site.get();
    draft.flow = Flow::branch;  // lanes that call different functions go separate ways
    const std::uint32_t behind = builder.new_label();
    draft.targets = {behind};
    builder.place(behind);
  } else if (target.kind == Operand::Kind::symbol) {
    const auto found = builder.surroundings().callees.find(target.name);
    const bool provided = found == builder.surroundings().callees.end();
    if (!provided) site->callee = found->second;
    const std::string name = provided ? "call." + std::string(target.name) : "call";
    if (builder.surroundings().table.find(name) == nullptr) {
      throw Error("the device function " + std::string(target.name) + " is not known here");
    }
    Draft& draft = builder.emit(name, {}, {});
    draft.more = site.get();
    builder.order_matters = builder.order_matters || provided;  // of what is printed, and where memory lies
    if (provided) draft.site = builder.add_doubtful_site(Doubt::provided, ptx::Space::generic);
  } else {
    throw Error("a call of something that is no function");
  }
  builder.call_sites.push_back(std::move(site));
  return true;
}

}  // namespace weft::emulator
