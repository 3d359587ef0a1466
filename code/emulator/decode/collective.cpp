/// @file
/// What the lanes of a warp do together.

#include <string>

#include "emulator/decode/families.hpp"

namespace weft::emulator {
namespace {

using ptx::Operand;
using ptx::Type;

/// The name of the current instruction, in full.
std::string full_name(const Builder& builder) { return std::string(builder.current().opcode); }

/// The name of a vote; ptxas takes `vote.ballot.sync.b32`, too.
std::string vote_name(const Builder& builder) {
  const ptx::Instruction& vote = builder.current();
  if (!vote.has("sync")) throw Error("a vote without .sync, which no card from 7.0 on has");
  std::string name = "vote.sync";
  for (const std::string_view part : vote.parts) {
    if (part != "vote" && part != "sync") name.append(".").append(part);
  }
  return name;
}

/// `d|p`, or `d` alone: then the predicate goes nowhere.
std::vector<std::uint32_t> results(Builder& builder, const Operand& operand, Type type) {
  if (operand.kind != Operand::Kind::pair) return {builder.write(operand, type), builder.new_predicate()};
  return {builder.write(operand.parts[0], type), builder.write(operand.parts[1], Type::pred)};
}

}  // namespace

bool decode_collective(Builder& builder) {
  const ptx::Instruction& instruction = builder.current();
  const auto& operands = instruction.operands;
  const std::string_view opcode = instruction.parts.front();
  const auto need = [&](std::size_t count) {
    if (operands.size() != count) throw Error("another number of operands than known");
  };
  if (opcode == "shfl") {
    need(5);
    std::vector<std::uint32_t> from;
    for (std::size_t i = 1; i < 5; ++i) from.push_back(builder.read(operands[i], Type::b32));
    builder.emit(full_name(builder), results(builder, operands[0], Type::b32), std::move(from));
  } else if (opcode == "vote") {
    need(3);
    const Type type = instruction.has("ballot") ? Type::b32 : Type::pred;
    const std::uint32_t voted = builder.read_predicate(operands[1]);
    builder.emit(vote_name(builder), {builder.write(operands[0], type)},
                 {voted, builder.read(operands[2], Type::b32)});
  } else if (opcode == "match") {
    need(3);
    const std::uint32_t value = builder.read(operands[1], type_of(builder));
    const std::uint32_t mask = builder.read(operands[2], Type::b32);
    builder.emit(full_name(builder), results(builder, operands[0], Type::b32), {value, mask});
  } else if (opcode == "elect") {
    need(2);
    const std::uint32_t mask = builder.read(operands[1], Type::b32);
    builder.emit(full_name(builder), results(builder, operands[0], Type::b32), {mask});
  } else if (opcode == "activemask") {
    need(1);
    builder.emit(full_name(builder), {builder.write(operands[0], Type::b32)}, {});
  } else {
    return false;
  }
  return true;
}

}  // namespace weft::emulator
