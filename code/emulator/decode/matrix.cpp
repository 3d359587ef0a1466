/// @file
/// mma, wmma, ldmatrix and their like.

#include <algorithm>
#include <array>
#include <string>

#include "emulator/decode/families.hpp"
#include "emulator/operation/matrix_layout.hpp"
#include "emulator/ptxas/fragment.hpp"

namespace weft::emulator {
namespace {

using ptx::Operand;
using ptx::Space;
using ptx::Type;

/// The shape that an instruction names, and its words behind that and before, but for those that go without
/// saying.
struct Words {
  MatrixShape shape;
  std::vector<std::string_view> types;
};

Words words_of(const Builder& builder) {
  static constexpr std::array<std::string_view, 8> others{"row",    "col",    "satfinite", "rn",
                                                          "shared", "global", "sync",      "aligned"};
  Words words;
  const auto& parts = builder.current().parts;
  for (const std::string_view part : parts) {
    if (const MatrixShape shape = shape_named(part); shape.rows != 0) {
      words.shape = shape;
    } else if (words.shape.rows != 0 && std::ranges::find(others, part) == others.end() &&
               !part.starts_with("shared")) {
      words.types.push_back(part);
    }
  }
  if (words.shape.rows == 0) throw Error("it names no shape");
  return words;
}

ptx::Operands registers_of(const Operand& operand) {
  return operand.kind == Operand::Kind::vector ? operand.parts : ptx::Operands{operand};
}

/// Whether `count` registers hold a matrix of so many elements, once or several times.
bool holds(std::size_t count, int elements, int per_register) {
  const int needed = elements / (32 * per_register);
  return needed > 0 && elements % (32 * per_register) == 0 && count % static_cast<std::size_t>(needed) == 0;
}

/// mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d, a, b, c; wmma.mma likewise, whose f16 factors have no
/// name.
void decode_mma(Builder& builder) {
  const ptx::Instruction& instruction = builder.current();
  if (instruction.operands.size() != 4) throw Error("another number of operands than known");
  auto [shape, types] = words_of(builder);
  if (types.size() == 2) types = {types[0], "f16", "f16", types[1]};
  if (types.size() != 4) throw Error("this instruction is not known here");
  std::string name = "mma";
  for (const std::string_view type : types) name += '.' + std::string(type);
  const Entry& entry = builder.entry(name);
  std::array<ptx::Operands, 4> registers;
  std::ranges::transform(instruction.operands, registers.begin(), registers_of);
  const auto& [d, a, b, c] = registers;
  const int factor_elements = elements_per_register(types[1]);
  const auto sum_elements = [](std::string_view type) { return type == "f16" ? 2 : 1; };
  const bool fits = shape.depth % (4 * factor_elements) == 0 && shape.rows * shape.depth <= 512 &&
                    shape.depth * shape.columns <= 512 && shape.rows * shape.columns <= 512 &&
                    holds(a.size(), shape.rows * shape.depth, factor_elements) &&
                    holds(b.size(), shape.depth * shape.columns, factor_elements) &&
                    holds(c.size(), shape.rows * shape.columns, sum_elements(types[3])) &&
                    holds(d.size(), shape.rows * shape.columns, sum_elements(types[0]));
  if (!fits) throw Error("this shape is not known here");
  shape.d = static_cast<std::uint8_t>(d.size());
  shape.a = static_cast<std::uint8_t>(a.size());
  shape.b = static_cast<std::uint8_t>(b.size());
  shape.c = static_cast<std::uint8_t>(c.size());
  shape.flags = static_cast<std::uint8_t>((types[1] == "s8" ? 1 : 0) | (types[2] == "s8" ? 2 : 0) |
                                          (instruction.has("satfinite") ? 4 : 0));
  std::vector<std::uint32_t> results;
  std::vector<std::uint32_t> operands;
  for (std::size_t i = 1; i < 4; ++i) {
    for (const Operand& reg : registers[i]) operands.push_back(builder.read(reg, entry.types[i]));
  }
  results.reserve(d.size());
  for (const Operand& reg : d) results.push_back(builder.write(reg, entry.types[0]));
  Draft& draft = builder.emit(entry.run, std::move(results), std::move(operands));
  draft.listed = true;
  draft.immediate = shape.packed();
}

/// An address as one slot, with its offset added.
Address whole_address(Builder& builder, const Operand& operand, Space space) {
  Address address = decode_address(builder, operand, space);
  if (address.offset == 0) return address;
  const Type type = address.wide ? Type::u64 : Type::u32;
  const std::uint32_t moved = builder.new_slot(ptx::bytes_of(type));
  builder.emit(address.wide ? "add.u64" : "add.u32", {moved},
               {address.base, builder.constant(address.offset, ptx::bytes_of(type))});
  address.base = moved;
  address.offset = 0;
  return address;
}

/// wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {…}, [address], stride; wmma.store.d likewise.
void decode_fragment(Builder& builder) {
  const ptx::Instruction& instruction = builder.current();
  const auto& operands = instruction.operands;
  const bool stores = instruction.parts[1] == "store";
  if (operands.size() < 2 || operands.size() > 3) throw Error("another number of operands than known");
  auto [shape, types] = words_of(builder);
  if (types.size() != 1) throw Error("this instruction is not known here");
  const std::string_view which = instruction.parts.at(2);
  const Entry& entry = builder.entry("wmma." + std::string(instruction.parts[1]) + '.' + std::string(which) +
                                     '.' + std::string(types[0]));
  const ptx::Operands registers = registers_of(operands[stores ? 1 : 0]);
  const bool by_columns = instruction.has("col");
  const int per_register = elements_per_register(types[0]);
  const int elements = elements_of(shape, which);
  if (!holds(registers.size(), elements, per_register)) throw Error("this shape is not known here");
  const FragmentAccess machine = fragment_access(instruction, shape, elements / (32 * per_register));
  shape.d = static_cast<std::uint8_t>(registers.size());
  shape.flags = static_cast<std::uint8_t>(
      (by_columns ? fragment_by_columns : 0) | (machine.by_rows ? fragment_by_rows : 0) |
      (machine.known && machine.across ? fragment_across : 0) | (machine.in_pairs ? fragment_in_pairs : 0));
  const bool neighbours = (which == "b") == by_columns;  // a register's elements, in memory
  const int element_bytes = types[0] == "f64" ? 8 : 4 / per_register;
  constexpr int row_bytes = 16;
  int bytes = neighbours ? element_bytes * per_register : element_bytes;
  if (machine.known) bytes = machine.by_rows ? row_bytes : machine.bytes;
  if (machine.by_rows) {
    shape.a = static_cast<std::uint8_t>(machine.bytes / 4);  // matrices at once
  }

  const Address address = whole_address(builder, operands[stores ? 0 : 1], space_of(instruction));
  const int width =
      by_columns ? (which == "b" ? shape.depth : shape.rows) : (which == "a" ? shape.depth : shape.columns);
  const std::uint32_t stride = operands.size() == 3 ? builder.read(operands[2], Type::u32)
                                                    : builder.constant(static_cast<std::uint64_t>(width), 4);
  std::vector<std::uint32_t> slots;
  slots.reserve(registers.size() + 2);
  for (const Operand& reg : registers)
    slots.push_back(stores ? builder.read(reg, entry.types[0]) : builder.write(reg, entry.types[0]));
  std::vector<std::uint32_t> reads = stores ? slots : std::vector<std::uint32_t>{};
  reads.push_back(address.base);
  reads.push_back(stride);
  const Counting counting = machine.by_rows ? Counting::shared_matrix : counting_of(address.space, stores);
  const std::uint32_t site = builder.add_site(counting, bytes, stores, address.wide, address.space);
  if (address.space == Space::generic)
    builder.add_sites_of_generic(counting_of(Space::shared, stores), bytes, stores);
  Draft& draft =
      builder.emit(entry.run, stores ? std::vector<std::uint32_t>{} : std::move(slots), std::move(reads));
  draft.listed = true;
  draft.immediate = shape.packed();
  draft.site = site;
}

/// ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {…}, [address]; stmatrix.… [address], {…};
void decode_rows(Builder& builder) {
  const ptx::Instruction& instruction = builder.current();
  const bool stores = instruction.parts.front() == "stmatrix";
  if (instruction.operands.size() != 2 || !instruction.has("m8n8") || !instruction.has("b16"))
    throw Error("this instruction is not known here");
  const ptx::Operands registers = registers_of(instruction.operands[stores ? 1 : 0]);
  std::string name(instruction.parts.front());
  if (instruction.has("trans")) name += ".trans";
  const std::string count = "x" + std::to_string(registers.size());
  if (!instruction.has(count)) throw Error("another number of operands than known");
  const Entry& entry = builder.entry(name + '.' + count);
  const Address address = decode_address(builder, instruction.operands[stores ? 0 : 1], Space::shared);
  std::vector<std::uint32_t> slots;
  slots.reserve(registers.size() + 1);
  for (const Operand& reg : registers)
    slots.push_back(stores ? builder.read(reg, Type::b32) : builder.write(reg, Type::b32));
  std::vector<std::uint32_t> reads = stores ? slots : std::vector<std::uint32_t>{};
  reads.push_back(address.base);
  constexpr int row_bytes = 16;
  const std::uint32_t site =
      builder.add_site(stores ? Counting::shared_matrix_store : Counting::shared_matrix, row_bytes, stores,
                       address.wide, Space::shared);
  Draft& draft =
      builder.emit(entry.run, stores ? std::vector<std::uint32_t>{} : std::move(slots), std::move(reads));
  draft.immediate = address.offset;
  draft.site = site;
}

}  // namespace

bool decode_matrix(Builder& builder) {
  const ptx::Instruction& instruction = builder.current();
  const std::string_view opcode = instruction.parts.front();
  if (opcode == "mma" || (opcode == "wmma" && instruction.has("mma"))) {
    decode_mma(builder);
  } else if (opcode == "wmma" && instruction.parts.size() > 2) {
    decode_fragment(builder);
  } else if (opcode == "ldmatrix" || opcode == "stmatrix") {
    decode_rows(builder);
  } else if (opcode == "movmatrix") {
    const std::uint32_t from = builder.read(instruction.operands[1], Type::b32);
    builder.emit("movmatrix", {builder.write(instruction.operands[0], Type::b32)}, {from});
  } else {
    return false;
  }
  return true;
}

}  // namespace weft::emulator
