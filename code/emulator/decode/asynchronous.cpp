/// @file
/// cp.async, bulk copies and mbarrier.

#include <algorithm>
#include <string>

#include "emulator/decode/families.hpp"
#include "emulator/memory/window.hpp"

namespace weft::emulator {
namespace {

using ptx::Operand;
using ptx::Space;
using ptx::Type;

/// A slot with a whole address in shared memory, 4 bytes, however it is written.
std::uint32_t shared_address(Builder& builder, const Operand& operand, bool generic) {
  const Address address = decode_address(builder, operand, generic ? Space::generic : Space::shared);
  std::uint32_t slot = address.base;
  if (address.space == Space::generic) {
    slot = builder.new_slot(8);
    builder.emit("sub.s64", {slot}, {address.base, builder.constant(shared_window(), 8)});
  }
  if (address.wide) {
    const std::uint32_t narrow = builder.new_slot(4);
    builder.emit("cvt.u32.u64", {narrow}, {slot});
    slot = narrow;
  }
  if (address.offset == 0) return slot;
  const std::uint32_t sum = builder.new_slot(4);
  builder.emit("add.u32", {sum}, {slot, builder.constant(address.offset, 4)});
  return sum;
}

/// A slot with a whole address in global memory, 8 bytes.
std::uint32_t global_address(Builder& builder, const Operand& operand) {
  const Address address = decode_address(builder, operand, Space::global);
  if (address.offset == 0) return address.base;
  const std::uint32_t sum = builder.new_slot(8);
  builder.emit("add.u64", {sum}, {address.base, builder.constant(address.offset, 8)});
  return sum;
}

bool names_shared(const ptx::Instruction& instruction) {
  return std::ranges::any_of(instruction.parts,
                             [](std::string_view part) { return part.starts_with("shared"); });
}

/// A site for errors alone: these are no requests of the load and store unit.
std::uint32_t uncounted_site(Builder& builder, int bytes, bool write) {
  return builder.add_site(Counting::nothing, bytes, write, true, Space::global);
}

void decode_mbarrier(Builder& builder) {
  const ptx::Instruction& instruction = builder.current();
  const auto& operands = instruction.operands;
  const bool generic = !names_shared(instruction);
  const auto has = [&](std::string_view part) { return instruction.has(part); };
  const std::uint32_t site = uncounted_site(builder, 8, true);
  const std::uint32_t one = builder.constant(1, 4);
  const std::uint32_t zero = builder.constant(0, 4);
  if (has("init")) {
    builder
        .emit("mbarrier.init", {},
              {shared_address(builder, operands[0], generic), builder.read(operands[1], Type::u32)})
        .site = site;
  } else if (has("inval")) {
    static_cast<void>(site);
  } else if (has("arrive") || has("arrive_drop") || has("expect_tx") || has("complete_tx")) {
    const bool arrives = has("arrive") || has("arrive_drop");
    const bool remote =
        arrives && operands[0].kind == Operand::Kind::address;  // shared::cluster gives no state
    const std::size_t at = arrives && !remote ? 1 : 0;
    const std::uint32_t state =
        arrives && !remote ? builder.write(operands[0], Type::b64) : builder.new_slot(8);
    std::uint32_t given = operands.size() > at + 1 ? builder.read(operands[at + 1], Type::u32) : one;
    if (has("complete_tx")) {
      const std::uint32_t negative = builder.new_slot(4);
      builder.emit("sub.u32", {negative}, {zero, given});
      given = negative;
    }
    const bool bytes = has("expect_tx") || has("complete_tx");
    const std::uint32_t arrivals = !arrives ? zero : bytes ? one : given;
    Draft& draft =
        builder.emit("mbarrier.arrive", {state},
                     {shared_address(builder, operands[at], generic), arrivals, bytes ? given : zero});
    draft.immediate = has("arrive_drop") ? 1 : 0;
    draft.site = site;
  } else if (has("test_wait") || has("try_wait")) {
    const bool parity = has("parity");
    const std::uint32_t waited = builder.read(operands[2], parity ? Type::u32 : Type::b64);
    const std::uint32_t address = shared_address(builder, operands[1], generic);
    builder
        .emit(parity ? "mbarrier.test.parity" : "mbarrier.test.state",
              {builder.write(operands[0], Type::pred)}, {address, waited})
        .site = site;
  } else {
    throw Error("this instruction is not known here");
  }
}

/// cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [to], [map, {x, y}],
/// [barrier]; cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [map, {x, y}], [from];
void decode_box(Builder& builder, bool loads) {
  const ptx::Instruction& instruction = builder.current();
  const auto& operands = instruction.operands;
  if (instruction.has("im2col") || instruction.has("gather4") || instruction.has("multicast::cluster") ||
      instruction.has("reduce")) {
    throw Error("this form of a tensor's copy is not known here");
  }
  const Operand& tensor = operands[loads ? 1 : 0];
  if (tensor.parts.size() != 2 || tensor.parts[1].parts.empty()) throw Error("no coordinates");
  const std::uint32_t shared = shared_address(builder, operands[loads ? 0 : 1], false);
  std::vector<std::uint32_t> slots{shared, global_address(builder, tensor)};
  if (loads) slots.push_back(shared_address(builder, operands[2], false));
  for (const Operand& coordinate : tensor.parts[1].parts)
    slots.push_back(builder.read(coordinate, Type::s32));
  Draft& draft = builder.emit(loads ? "bulk.load.box" : "bulk.store.box", {}, std::move(slots));
  draft.listed = true;
  draft.immediate = tensor.parts[1].parts.size();
  draft.site = uncounted_site(builder, 16, !loads);
}

void decode_bulk(Builder& builder) {
  const ptx::Instruction& instruction = builder.current();
  const auto& operands = instruction.operands;
  if (instruction.has("commit_group") || instruction.has("wait_group") || instruction.has("prefetch")) return;
  const bool loads = instruction.parts.size() > 4 && operands.size() >= 3 &&
                     instruction.has("mbarrier::complete_tx::bytes") && instruction.has("global");
  if (!loads && !instruction.has("bulk_group")) throw Error("this form of a bulk copy is not known here");
  if (instruction.has("tensor")) return decode_box(builder, loads);
  const std::uint32_t shared = shared_address(builder, operands[loads ? 0 : 1], false);
  const std::uint32_t global = global_address(builder, operands[loads ? 1 : 0]);
  std::vector<std::uint32_t> slots{shared, global, builder.read(operands[2], Type::u32)};
  if (loads) slots.push_back(shared_address(builder, operands[3], false));
  builder.emit(loads ? "bulk.load" : "bulk.store", {}, std::move(slots)).site =
      uncounted_site(builder, 16, !loads);
}

/// cp.async.ca.shared.global [to], [from], bytes{, bytes read};
void decode_copy(Builder& builder) {
  const ptx::Instruction& instruction = builder.current();
  const auto& operands = instruction.operands;
  if (instruction.has("commit_group") || instruction.has("wait_group") || instruction.has("wait_all")) return;
  if (instruction.has("mbarrier")) {
    const std::uint32_t one = builder.constant(instruction.has("noinc") ? 1 : 0, 4);
    const std::uint32_t address = shared_address(builder, operands[0], !names_shared(instruction));
    builder.emit("mbarrier.arrive", {builder.new_slot(8)}, {address, one, builder.constant(0, 4)}).site =
        uncounted_site(builder, 8, true);
    return;
  }
  const auto bytes = static_cast<int>(builder.integer(operands[2]));
  if (bytes != 4 && bytes != 8 && bytes != 16) throw Error("a copy of 4, 8 or 16 bytes is known alone");
  const std::uint32_t shared = shared_address(builder, operands[0], false);
  const Address from = decode_address(builder, operands[1], Space::global);
  const bool partial = operands.size() > 3 && operands[3].kind != Operand::Kind::integer
                           ? builder.bytes_of(operands[3]) == 4
                           : operands.size() > 3;
  const std::uint32_t read =
      partial ? builder.read(operands[3], Type::u32) : builder.constant(static_cast<std::uint64_t>(bytes), 4);
  Draft& draft = builder.emit("cp.async", {}, {from.base, shared, read});
  draft.immediate = from.offset;
  const Counting counting = instruction.has("cg") ? Counting::global_copy : Counting::global_load;
  draft.site = builder.add_site(counting, bytes, false, true, Space::global);
}

}  // namespace

void complete_transfer(Builder& builder, const Operand& barrier, int bytes) {
  const std::uint32_t come = builder.constant(0U - static_cast<std::uint32_t>(bytes), 4);
  builder
      .emit("mbarrier.arrive", {builder.new_slot(8)},
            {shared_address(builder, barrier, false), builder.constant(0, 4), come})
      .site = uncounted_site(builder, 8, true);
}

bool decode_asynchronous(Builder& builder) {
  const ptx::Instruction& instruction = builder.current();
  const std::string_view opcode = instruction.parts.front();
  if (opcode == "mbarrier") {
    decode_mbarrier(builder);
  } else if (opcode == "cp" && instruction.has("bulk")) {
    decode_bulk(builder);
  } else if (opcode == "cp") {
    decode_copy(builder);
  } else {
    return false;
  }
  return true;
}

}  // namespace weft::emulator
