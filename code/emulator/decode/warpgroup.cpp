/// @file
/// wgmma: products of matrices by four warps at once.

#include <array>
#include <string>

#include "emulator/decode/families.hpp"
#include "emulator/operation/warpgroup_product.hpp"

namespace weft::emulator {
namespace {

using ptx::Operand;
using ptx::Type;

/// The columns of `m64n128k8`; 0 if the word is no such shape.
std::uint16_t columns_of(std::string_view shape, std::string_view depth) {
  const std::size_t behind = shape.find('k');
  if (!shape.starts_with("m64n") || behind == std::string_view::npos || shape.substr(behind + 1) != depth)
    return 0;
  int columns = 0;
  for (const char digit : shape.substr(4, behind - 4)) {
    if (digit < '0' || digit > '9' || columns > 256) return 0;
    columns = columns * 10 + digit - '0';
  }
  return static_cast<std::uint16_t>(columns % 8 == 0 && columns <= 256 ? columns : 0);
}

/// wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {d…}, {a…} or a's descriptor, b's descriptor, adds,
/// 1, 1; those of 16 bits name after that how A and B lie: 0 if along the depth.
void decode_product(Builder& builder) {
  const ptx::Instruction& instruction = builder.current();
  const auto& parts = instruction.parts;
  const auto& operands = instruction.operands;
  if (parts.size() != 8 || operands.size() < 6) throw Error("this instruction is not known here");
  const Entry& entry = builder.entry("wgmma." + std::string(parts[5]) + '.' + std::string(parts[6]) + '.' +
                                     std::string(parts[7]));
  WarpgroupProduct product;
  product.depth = parts[6] == "tf32" ? 8 : 16;
  product.columns = columns_of(parts[4], product.depth == 8 ? "8" : "16");
  product.a_in_registers = operands[1].kind == Operand::Kind::vector;
  const std::size_t a_registers = product.a_in_registers ? operands[1].parts.size() : 4;
  if (product.columns == 0 || operands[0].parts.size() != product.columns / 2U || a_registers != 4)
    throw Error("this shape is not known here");
  product.negative_a = builder.integer(operands[4]) != 1;
  product.negative_b = builder.integer(operands[5]) != 1;
  for (std::size_t i = 6; i < operands.size(); ++i) {
    if (builder.integer(operands[i]) != 0)
      throw Error("factors that do not lie along the depth are not known here");
  }

  std::vector<std::uint32_t> results;
  std::vector<std::uint32_t> reads;
  for (const Operand& reg : operands[0].parts) reads.push_back(builder.read(reg, entry.types[0]));
  const std::vector<std::uint32_t> sums = reads;
  if (product.a_in_registers) {
    for (const Operand& reg : operands[1].parts) reads.push_back(builder.read(reg, entry.types[1]));
  } else {
    reads.push_back(builder.read(operands[1], Type::b64));
  }
  reads.push_back(builder.read(operands[2], Type::b64));
  reads.push_back(builder.read_predicate(operands[3]));
  for (const Operand& reg : operands[0].parts) results.push_back(builder.write(reg, entry.types[0]));
  if (results != sums) throw Error("its sums are no plain registers");  // they are added to in place
  Draft& draft = builder.emit(entry.run, std::move(results), std::move(reads));
  draft.listed = true;
  draft.immediate = product.packed();
}

}  // namespace

bool decode_warpgroup(Builder& builder) {
  const ptx::Instruction& instruction = builder.current();
  if (instruction.parts.front() != "wgmma") return false;
  if (instruction.has("mma_async")) {
    decode_product(builder);
  } else if (!instruction.has("fence") && !instruction.has("commit_group") &&
             !instruction.has("wait_group")) {
    return false;  // those only wait for what is done at once here
  }
  return true;
}

}  // namespace weft::emulator
