/// @file
/// cvt, and comparisons.

#include <algorithm>
#include <string>

#include "emulator/decode/families.hpp"

namespace weft::emulator {
namespace {

using ptx::Operand;
using ptx::Type;

std::string name_of(const ptx::Instruction& instruction) {
  std::string name;
  for (const std::string_view part : instruction.parts) {
    if (!name.empty()) name += '.';
    name += part;
  }
  return name;
}

/// The operand `c` or `!c` of a comparison, combined with its result.
void combine(Builder& builder, std::uint32_t result, std::uint32_t compared, const Operand& with,
             const std::string& how) {
  builder.emit(how + ".pred", {result}, {compared, builder.read_predicate(with)});
}

/// setp.lt.and.s32 p|q, a, b, c;
void decode_setp(Builder& builder) {
  const ptx::Instruction& instruction = builder.current();
  const auto& operands = instruction.operands;
  std::string name;
  std::string how;
  for (const std::string_view part : instruction.parts) {
    if (part == "ftz")
      continue;  // subnormals compare as they are: only with one another and with 0 is it seen
    if (part == "and" || part == "or" || part == "xor") {
      how = part;
      continue;
    }
    if (!name.empty()) name += '.';
    name += part;
  }
  if (instruction.has("ftz")) name = "setp.ftz" + name.substr(4);
  const Entry& entry = builder.entry(name);
  if (operands.size() != (how.empty() ? 3U : 4U))
    throw builder.error("another number of operands than known");
  const std::uint32_t a = builder.read(operands[1], entry.types[1]);
  const std::uint32_t b = builder.read(operands[2], entry.types[2]);
  const bool pair = operands[0].kind == Operand::Kind::pair;
  const Operand& first = pair ? operands[0].parts[0] : operands[0];
  if (!pair && how.empty()) {
    builder.emit(entry.run, {builder.write(first, Type::pred)}, {a, b});
    return;
  }
  const std::uint32_t compared = builder.new_predicate();
  builder.emit(entry.run, {compared}, {a, b});
  std::uint32_t inverse = 0;
  if (pair) {
    inverse = builder.new_predicate();
    builder.emit("not.pred", {inverse}, {compared});
  }
  const auto put = [&](const Operand& result, std::uint32_t value) {
    const std::uint32_t slot = builder.write(result, Type::pred);
    if (how.empty()) {
      builder.emit("mov.pred", {slot}, {value});
    } else {
      combine(builder, slot, value, operands[3], how);
    }
  };
  put(first, compared);
  if (pair) put(operands[0].parts[1], inverse);
}

/// set.lt.f32.s32 d, a, b; is a comparison and a choice.
void decode_set(Builder& builder) {
  const ptx::Instruction& instruction = builder.current();
  const auto& operands = instruction.operands;
  if (instruction.parts.size() < 4 || operands.size() != 3)
    throw builder.error("a form that is not known here");
  const auto result_type = ptx::type_named(instruction.parts[instruction.parts.size() - 2]);
  if (!result_type || ptx::bytes_of(*result_type) != 4)
    throw builder.error("a result type that is not known here");
  std::string name = "setp";
  for (std::size_t i = 1; i < instruction.parts.size(); ++i) {
    if (i != instruction.parts.size() - 2) name += '.' + std::string(instruction.parts[i]);
  }
  const Entry& entry = builder.entry(name);
  const std::uint32_t compared = builder.new_predicate();
  builder.emit(entry.run, {compared},
               {builder.read(operands[1], entry.types[1]), builder.read(operands[2], entry.types[2])});
  const std::uint64_t truth = *result_type == Type::f32 ? 0x3f800000 : 0xffffffff;
  builder.emit("selp.b32", {builder.write(operands[0], *result_type)},
               {builder.constant(truth, 4), builder.constant(0, 4), compared});
}

}  // namespace

ptx::Type type_of(const Builder& builder) {
  const auto type = ptx::type_named(builder.current().parts.back());
  if (!type) throw builder.error("it ends with no type");
  return *type;
}

bool decode_comparison(Builder& builder) {
  const std::string_view opcode = builder.current().parts.front();
  if (opcode == "setp") {
    decode_setp(builder);
  } else if (opcode == "set") {
    decode_set(builder);
  } else {
    return false;
  }
  return true;
}

bool decode_conversion(Builder& builder) {
  const ptx::Instruction& instruction = builder.current();
  if (instruction.parts.front() != "cvt") return false;
  const Entry& entry = builder.entry(name_of(instruction));
  if (instruction.operands.size() != entry.types.size())
    throw builder.error("another number of operands than known");
  std::vector<std::uint32_t> operands;
  for (std::size_t i = 1; i < entry.types.size(); ++i) {
    operands.push_back(builder.read(instruction.operands[i], entry.types[i]));
  }
  builder.emit(entry.run, {builder.write(instruction.operands[0], entry.types[0])}, std::move(operands));
  return true;
}

}  // namespace weft::emulator
