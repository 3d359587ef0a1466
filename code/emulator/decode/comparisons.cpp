/// @file
/// setp and set, for single values and pairs of halves.

#include <array>
#include <string>

#include "emulator/decode/families.hpp"

namespace weft::emulator {
namespace {

using ptx::Operand;
using ptx::Type;

bool is_pair(Type type) { return type == Type::f16x2 || type == Type::bf16x2; }

/// What a comparison's words say.
struct Comparison {
  std::string name = "setp";  ///< of the table's entry
  std::string how;            ///< `and`, `or` or `xor` with another predicate; empty if there is none
  Type type{};                ///< of what is compared
};

/// @param result_type whether the last word but one is the result's type
Comparison comparison_of(Builder& builder, bool result_type) {
  const auto& parts = builder.current().parts;
  Comparison found;
  found.type = type_of(builder);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i] == "and" || parts[i] == "or" || parts[i] == "xor") {
      found.how = parts[i];
    } else if (i + 1 == parts.size() && is_pair(found.type)) {
      found.name += found.type == Type::f16x2 ? ".f16" : ".bf16";
    } else if (!result_type || i + 2 != parts.size()) {
      found.name += '.' + std::string(parts[i]);
    }
  }
  return found;
}

/// The predicates of a comparison: one, or for pairs those of the lower and the upper halves.
std::vector<std::uint32_t> compare(Builder& builder, const Comparison& comparison) {
  const auto& operands = builder.current().operands;
  if (operands.size() != (comparison.how.empty() ? 3U : 4U))
    throw Error("another number of operands than known");
  const Entry& entry = builder.entry(comparison.name);
  const bool pair = is_pair(comparison.type);
  const Type type = pair ? Type::b32 : entry.types[1];
  const std::array both{builder.read(operands[1], type), builder.read(operands[2], type)};
  std::vector<std::uint32_t> found{builder.new_predicate()};
  if (!pair) {
    builder.emit(entry.run, {found[0]}, {both[0], both[1]});
    return found;
  }
  found.push_back(builder.new_predicate());
  for (std::size_t half = 0; half < 2; ++half) {
    std::vector<std::uint32_t> values;
    for (const std::uint32_t whole : both) {
      values.push_back(builder.new_slot(4));
      builder.emit("bfe.u32", {values.back()},
                   {whole, builder.constant(16 * half, 4), builder.constant(16, 4)});
    }
    builder.emit(entry.run, {found[half]}, std::move(values));
  }
  return found;
}

/// Combines a predicate with the operand `c` or `!c`.
void combine(Builder& builder, std::uint32_t result, std::uint32_t compared, const std::string& how) {
  if (how.empty()) {
    builder.emit("mov.pred", {result}, {compared});
  } else {
    const std::uint32_t other = builder.read_predicate(builder.current().operands[3]);
    Draft& draft = builder.emit(how + ".pred", {result}, {compared, other});
    if (how != "xor") draft.use = how == "and" ? Use::conjunction : Use::disjunction;
  }
}

/// setp.lt.and.s32 p|q, a, b, c; q is the opposite, or for pairs of halves the upper one's.
void decode_setp(Builder& builder) {
  const Comparison comparison = comparison_of(builder, false);
  const Operand& result = builder.current().operands[0];
  std::vector<std::uint32_t> found = compare(builder, comparison);
  if (result.kind != Operand::Kind::pair) {
    combine(builder, builder.write(result, Type::pred), found[0], comparison.how);
    return;
  }
  if (found.size() == 1) {
    found.push_back(builder.new_predicate());
    builder.emit("not.pred", {found[1]}, {found[0]});
  }
  for (std::size_t i = 0; i < 2; ++i)
    combine(builder, builder.write(result.parts[i], Type::pred), found[i], comparison.how);
}

/// What `set` writes where the comparison is true.
std::uint64_t truth(Type type) {
  switch (type) {
    case Type::f32:
      return 0x3f800000;
    case Type::f16:
    case Type::f16x2:
      return 0x3c00;
    case Type::bf16:
    case Type::bf16x2:
      return 0x3f80;
    case Type::u16:
    case Type::s16:
      return 0xffff;
    case Type::u32:
    case Type::s32:
      return 0xffffffff;
    default:
      throw Error("a result type that is not known here");
  }
}

/// set.lt.f32.s32 d, a, b; is a comparison and a choice.
void decode_set(Builder& builder) {
  const ptx::Instruction& instruction = builder.current();
  if (instruction.parts.size() < 4) throw Error("a form that is not known here");
  const auto result_type = ptx::type_named(instruction.parts[instruction.parts.size() - 2]);
  if (!result_type) throw Error("a result type that is not known here");
  const Comparison comparison = comparison_of(builder, true);
  const std::vector<std::uint32_t> compared = compare(builder, comparison);
  const std::uint64_t yes = truth(*result_type) & (compared.size() == 2 ? 0xffff : 0xffffffff);
  std::vector<std::uint32_t> found;
  for (const std::uint32_t one : compared) {
    const std::uint32_t combined = builder.new_predicate();
    combine(builder, combined, one, comparison.how);
    found.push_back(builder.new_slot(4));
    builder.emit("selp.b32", {found.back()}, {builder.constant(yes, 4), builder.constant(0, 4), combined});
  }
  const std::uint32_t result = builder.write(instruction.operands[0], *result_type);
  if (found.size() == 1) {
    builder.emit("mov.b32", {result}, {found[0]});
  } else {
    builder.emit("bfi.b32", {result}, {found[1], found[0], builder.constant(16, 4), builder.constant(16, 4)});
  }
}

}  // namespace

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

}  // namespace weft::emulator
