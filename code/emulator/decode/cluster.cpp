/// @file
/// Addresses in the shared memory of a cluster's blocks.

#include "emulator/decode/families.hpp"
#include "emulator/memory/window.hpp"

namespace weft::emulator {
namespace {

using ptx::Operand;
using ptx::Type;

/// An address of shared memory, as 4 bytes, that an operand gives in as many as its type has.
std::uint32_t address_in_shared(Builder& builder, const Operand& operand, Type type) {
  std::uint32_t address = variable_or_register(builder, operand, type);
  if (!builder.current().has("shared::cluster")) {
    const std::uint32_t inside = builder.new_slot(8);
    builder.emit("sub.s64", {inside}, {address, builder.constant(shared_window(), 8)});
    address = inside;
  }
  if (ptx::bytes_of(type) == 8) {
    const std::uint32_t narrow = builder.new_slot(4);
    builder.emit("cvt.u32.u64", {narrow}, {address});
    address = narrow;
  }
  return address;
}

/// mapa.shared::cluster.u32 d, a, rank; mapa.u64 d, a, rank; with a generic address.
void decode_mapa(Builder& builder) {
  const auto& operands = builder.current().operands;
  if (operands.size() != 3) throw Error("another number of operands than known");
  const bool generic = !builder.current().has("shared::cluster");
  const Type type = type_of(builder);
  const bool wide = ptx::bytes_of(type) == 8;
  const std::uint32_t from = address_in_shared(builder, operands[1], type);
  const std::uint32_t rank = builder.new_slot(4);
  builder.emit("add.u32", {rank}, {builder.read(operands[2], Type::u32), builder.constant(1, 4)});
  const std::uint32_t result = wide ? builder.new_slot(4) : builder.write(operands[0], Type::u32);
  builder.emit("bfi.b32", {result},
               {rank, from, builder.constant(shared_address_bits, 4), builder.constant(6, 4)});
  if (!wide) return;
  const std::uint32_t whole = generic ? builder.new_slot(8) : builder.write(operands[0], Type::u64);
  builder.emit("cvt.u64.u32", {whole}, {result});
  if (!generic) return;
  builder.emit("add.s64", {builder.write(operands[0], Type::u64)},
               {whole, builder.constant(shared_window(), 8)});
}

/// getctarank.shared::cluster.u32 d, a; the own rank, if the address names none.
void decode_rank(Builder& builder) {
  const auto& operands = builder.current().operands;
  if (operands.size() != 2) throw Error("another number of operands than known");
  const Type type = type_of(builder);
  const std::uint32_t address = address_in_shared(builder, operands[1], type);
  const std::uint32_t named = builder.new_slot(4);
  const std::uint32_t from_zero = builder.new_slot(4);
  const std::uint32_t own = builder.new_predicate();
  const std::uint32_t zero = builder.constant(0, 4);
  builder.emit("shr.u32", {named}, {address, builder.constant(shared_address_bits, 4)});
  builder.emit("setp.eq.u32", {own}, {named, zero});
  builder.emit("sub.u32", {from_zero}, {named, builder.constant(1, 4)});
  builder.emit("selp.b32", {builder.write(operands[0], Type::u32)},
               {builder.special(Special::cluster_ctarank), from_zero, own});
}

}  // namespace

Address data_address(Builder& builder, const Operand& operand) {
  Address address = decode_address(builder, operand, space_of(builder.current()));
  if (!builder.current().has("shared::cluster") || address.space != ptx::Space::shared) return address;
  std::uint32_t wide = address.base;
  if (!address.wide) {
    wide = builder.new_slot(8);
    builder.emit("cvt.u64.u32", {wide}, {address.base});
  }
  address.base = builder.new_slot(8);
  builder.emit("add.s64", {address.base}, {wide, builder.constant(shared_window(), 8)});
  address.wide = true;
  address.space = ptx::Space::generic;
  return address;
}

bool decode_cluster(Builder& builder) {
  const ptx::Instruction& instruction = builder.current();
  const std::string_view opcode = instruction.parts.front();
  if (opcode == "mapa") {
    decode_mapa(builder);
  } else if (opcode == "getctarank") {
    decode_rank(builder);
  } else if (opcode == "barrier" && instruction.has("cluster")) {
    builder.emit(instruction.has("wait") ? "barrier.cluster.wait" : "barrier.cluster.arrive", {}, {});
  } else {
    return false;
  }
  return true;
}

}  // namespace weft::emulator
