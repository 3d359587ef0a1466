/// @file
/// mov in all its forms, and addresses of one space seen in another.

#include <algorithm>
#include <string>

#include "emulator/decode/families.hpp"
#include "emulator/memory/window.hpp"

namespace weft::emulator {
namespace {

using ptx::Operand;
using ptx::Space;
using ptx::Type;

/// The address of a variable, or nothing if the operand is none.
std::optional<std::uint64_t> address_of(const Builder& builder, const Operand& operand) {
  if (operand.kind == Operand::Kind::variable) return builder.layout().own[operand.index] + operand.bits;
  if (operand.kind != Operand::Kind::symbol) return std::nullopt;
  const auto& shared = builder.layout().shared;
  if (const auto found = shared.find(operand.name); found != shared.end())
    return found->second + operand.bits;
  const auto& others = *builder.layout().addresses;
  if (const auto found = others.find(operand.name); found != others.end())
    return found->second + operand.bits;
  return std::nullopt;
}

/// A register becomes another name of a slot that never changes, or is set to it.
void set(Builder& builder, const Operand& result, std::uint32_t slot, int bytes) {
  if (builder.is_fixed(slot) && builder.defined_once(result) && builder.bytes_of(result) == bytes) {
    builder.alias(result, slot);
  } else {
    Draft& draft = builder.emit(bytes == 8 ? "mov.b64" : "mov.b32",
                                {builder.write(result, bytes == 8 ? Type::b64 : Type::b32)}, {slot});
    draft.use = Use::move;
    draft.moved_bytes = static_cast<std::uint8_t>(bytes);
  }
}

void move_address(Builder& builder, const Operand& result, const Operand& source, std::uint64_t address,
                  int bytes) {
  if (source.kind == Operand::Kind::variable) {
    const Space space = builder.function().variables[source.index].space;
    const bool parameter = space == Space::param && builder.function().kernel;
    if (parameter)
      return set(builder, result, builder.constant(builder.layout().parameter_bank + address, bytes), bytes);
    if (space != Space::shared && !builder.function().kernel) {  // in this call's part of local memory
      builder.emit("local.address", {builder.write(result, Type::b64)}, {}).immediate = address;
      return;
    }
  }
  set(builder, result, builder.constant(address, bytes), bytes);
}

/// mov.b64 {a, b}, c; and mov.b64 c, {a, b};
bool move_packed(Builder& builder, const Operand& result, const Operand& source) {
  const bool unpacks = result.kind == Operand::Kind::vector;
  if (!unpacks && source.kind != Operand::Kind::vector) return false;
  const std::string name = std::string(unpacks ? "unpack." : "pack.") +
                           std::to_string((unpacks ? result : source).parts.size()) + '.' +
                           std::string(builder.current().parts.back());
  const Entry& entry = builder.entry(name);
  const Type whole = entry.types.front();
  const Type part = entry.types.back();
  std::vector<std::uint32_t> parts;
  parts.reserve((unpacks ? result : source).parts.size());
  for (const Operand& operand : (unpacks ? result : source).parts) {
    parts.push_back(unpacks ? builder.write(operand, part) : builder.read(operand, part));
  }
  Draft& draft = unpacks ? builder.emit(entry.run, parts, {builder.read(source, whole)})
                         : builder.emit(entry.run, {builder.write(result, whole)}, parts);
  draft.use = Use::move;
  draft.moved_bytes = static_cast<std::uint8_t>(ptx::bytes_of(part));
  return true;
}

void decode_mov(Builder& builder) {
  const auto& operands = builder.current().operands;
  if (operands.size() != 2) throw Error("another number of operands than known");
  const Operand& result = operands[0];
  const Operand& source = operands[1];
  if (move_packed(builder, result, source)) return;
  const Type type = type_of(builder);
  if (type == Type::pred) {
    builder.emit("mov.pred", {builder.write(result, type)}, {builder.read_predicate(source)});
    return;
  }
  const int bytes = std::max(4, ptx::bytes_of(type));
  if (const auto address = address_of(builder, source))
    return move_address(builder, result, source, *address, bytes);
  if (source.kind == Operand::Kind::symbol && !builder.special(source.name)) {
    const std::string name(source.name);
    if (builder.surroundings().table.find("mov" + name) == nullptr) throw Error("unknown name " + name);
    builder.emit("mov" + name, {builder.write(result, type)}, {});
    return;
  }
  set(builder, result, builder.read(source, type), bytes);
}

/// cvta.to.shared.u64 d, a; cvta.shared.u64 d, a;
void decode_cvta(Builder& builder) {
  const auto& instruction = builder.current();
  const Operand& result = instruction.operands[0];
  const Operand& source = instruction.operands[1];
  const Space space = space_of(instruction);
  const Type type = type_of(builder);
  const int bytes = ptx::bytes_of(type);
  const bool to = instruction.has("to");
  const bool windowed = space == Space::shared || space == Space::local;
  const std::uint64_t window = space == Space::shared ? shared_window() : local_window();
  if (const auto address = address_of(builder, source)) {
    if (source.kind == Operand::Kind::variable && space == Space::local && !builder.function().kernel) {
      const std::uint32_t own = builder.new_slot(8);
      builder.emit("local.address", {own}, {}).immediate = *address;
      builder.emit("add.s64", {builder.write(result, type)}, {own, builder.constant(to ? 0 : window, 8)});
      return;
    }
    std::uint64_t value = *address;
    if (source.kind == Operand::Kind::variable && space == Space::param)
      value += builder.layout().parameter_bank;
    return set(builder, result, builder.constant(windowed && !to ? value + window : value, bytes), bytes);
  }
  const std::uint32_t from = builder.read(source, type);
  if (!windowed) return set(builder, result, from, bytes);
  const std::uint32_t base = builder.constant(window, bytes);
  builder.emit(to ? "sub.s64" : "add.s64", {builder.write(result, type)}, {from, base});
}

}  // namespace

std::uint32_t variable_or_register(Builder& builder, const Operand& operand, Type type) {
  if (const auto address = address_of(builder, operand))
    return builder.constant(*address, ptx::bytes_of(type));
  return builder.read(operand, type);
}

bool decode_move(Builder& builder) {
  const std::string_view opcode = builder.current().parts.front();
  if (opcode == "mov") {
    decode_mov(builder);
  } else if (opcode == "cvta") {
    decode_cvta(builder);
  } else {
    return false;
  }
  return true;
}

}  // namespace weft::emulator
