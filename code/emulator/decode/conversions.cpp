/// @file
/// Conversions, and arithmetic with a carry.

#include <algorithm>
#include <array>
#include <string>

#include "emulator/decode/families.hpp"

namespace weft::emulator {

ptx::Type type_of(const Builder& builder) {
  const auto type = ptx::type_named(builder.current().parts.back());
  if (!type) throw Error("it ends with no type");
  return *type;
}

bool decode_conversion(Builder& builder) {
  const ptx::Instruction& instruction = builder.current();
  if (instruction.parts.front() != "cvt") return false;
  const Entry& entry = builder.entry(std::string(instruction.opcode));
  std::vector<std::uint32_t> operands = builder.read_operands(entry);
  const std::uint32_t result = builder.write(instruction.operands[0], entry.types[0]);
  Draft& draft = builder.emit(entry.run, {result}, std::move(operands));
  draft.pure = true;
  const auto& parts = instruction.parts;  // cvt.u32.u64
  const auto to = ptx::type_named(parts[parts.size() - 2]);
  const auto from = ptx::type_named(parts.back());
  if (parts.size() == 3 && to && from && !ptx::is_floating(*to) && !ptx::is_floating(*from)) {
    draft.use = Use::move;
    draft.moved_bytes = static_cast<std::uint8_t>(std::min(ptx::bytes_of(*to), ptx::bytes_of(*from)));
  }
  return true;
}

/// add.cc.u32 d, a, b; addc.u32 d, a, b; and their like give or take the carry.
bool decode_carry(Builder& builder) {
  static constexpr std::array<std::string_view, 3> takers{"addc", "subc", "madc"};
  const ptx::Instruction& instruction = builder.current();
  const bool takes = std::ranges::find(takers, instruction.parts.front()) != takers.end();
  const bool gives = instruction.has("cc");
  if (!takes && !gives) return false;
  const Entry& entry = builder.entry(std::string(instruction.opcode));
  std::vector<std::uint32_t> operands = builder.read_operands(entry);
  if (takes) operands.push_back(builder.carry());
  std::vector<std::uint32_t> results{builder.write(instruction.operands[0], entry.types[0])};
  if (gives) results.push_back(builder.carry());
  builder.emit(entry.run, std::move(results), std::move(operands));
  return true;
}

}  // namespace weft::emulator
