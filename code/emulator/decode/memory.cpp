/// @file
/// Loads, stores and atomics.

#include <algorithm>
#include <array>
#include <ranges>
#include <string>

#include "emulator/decode/families.hpp"

namespace weft::emulator {
namespace {

using ptx::Operand;
using ptx::Space;
using ptx::Type;

/// What moves: sign matters for what is widened, and nothing else does.
std::string_view moved_type(Type type) {
  switch (ptx::bytes_of(type)) {
    case 1:
      return type == Type::s8 ? ".s8" : ".b8";
    case 2:
      return type == Type::s16 ? ".s16" : ".b16";
    case 4:
      return ".b32";
    default:
      return ".b64";
  }
}

std::string space_name(const Address& address) {
  const std::string width = address.wide ? ".64" : ".32";
  switch (address.space) {
    case Space::shared:
      return ".shared" + width;
    case Space::local:
    case Space::param:  // of a device function: a part of local memory
      return ".local" + width;
    case Space::generic:
      return ".generic" + width;
    default:
      return ".global" + width;
  }
}

bool is_kernel_parameter(const Builder& builder, const Operand& base) {
  return base.kind == Operand::Kind::variable && builder.function().kernel &&
         base.index < builder.function().parameters.size();
}

/// ld.param.u64 %rd1, [kernel_param_0]; its value is there from the start.
void load_parameter(Builder& builder, const ptx::Operands& results, std::uint64_t offset, Type type) {
  for (const Operand& result : results) {
    const bool sign = type == Type::s8 || type == Type::s16;
    const int bytes = std::max(4, ptx::bytes_of(type));
    const std::uint32_t slot = builder.parameter(static_cast<std::uint32_t>(offset), type, bytes);
    if (result.is_reg() && builder.defined_once(result) && builder.bytes_of(result) == bytes && !sign) {
      builder.alias(result, slot);
    } else {
      builder.emit(bytes == 8 ? "mov.b64" : "mov.b32", {builder.write(result, type)}, {slot});
    }
    offset += static_cast<std::uint64_t>(ptx::bytes_of(type));
  }
}

bool may_be_global(Space space) { return space == Space::global || space == Space::generic; }

void move(Builder& builder, bool store) {
  const ptx::Instruction& instruction = builder.current();
  if (instruction.operands.size() < 2) throw Error("another number of operands than known");
  const Operand& place = instruction.operands[store ? 0 : 1];
  const Operand& value = instruction.operands[store ? 1 : 0];
  if (place.kind != Operand::Kind::address || place.parts.empty()) throw Error("no address");
  const Type type = type_of(builder);
  const ptx::Operands values = value.kind == Operand::Kind::vector ? value.parts : ptx::Operands{value};
  Space space = space_of(instruction);
  if (space == Space::param && !store && is_kernel_parameter(builder, place.parts.front())) {
    return load_parameter(builder, values, builder.layout().own[place.parts.front().index] + place.bits,
                          type);
  }
  const Address address =
      space == space_of(instruction) ? data_address(builder, place) : decode_address(builder, place, space);
  const int bytes = ptx::bytes_of(type) * static_cast<int>(values.size());
  if (bytes > 16) throw Error("more than 16 bytes at once");
  const std::string suffix =
      space_name(address) + std::string(moved_type(type)) + '.' + std::to_string(values.size());
  const Entry& entry = builder.entry((store ? "store" : "load") + suffix);

  std::vector<std::uint32_t> slots;
  slots.reserve(values.size());
  for (const Operand& one : values)
    slots.push_back(store ? builder.read(one, type) : builder.write(one, type));
  // Constants and parameters lie in global memory here, but have a cache of their own.
  const bool counts = space != Space::constant && space != Space::param;
  const std::uint32_t site = builder.add_site(counts ? counting_of(address.space, store) : Counting::nothing,
                                              bytes, store, address.wide, address.space);
  if (space == Space::local) builder.doubt_local_memory(site);
  std::vector<std::uint32_t> operands = store ? slots : std::vector<std::uint32_t>{};
  operands.push_back(address.base);
  Draft& draft = builder.emit(entry.run, store ? std::vector<std::uint32_t>{} : slots, std::move(operands));
  draft.use = store ? Use::store : Use::load;
  draft.immediate = address.offset;
  draft.site = site;
  const bool changes_elsewhere =
      instruction.has("volatile") || instruction.has("relaxed") || instruction.has("acquire");
  if (!store && changes_elsewhere) {
    builder.emit("look", {}, {});
    builder.order_matters = builder.order_matters || may_be_global(address.space);
  }
  if (address.space == Space::generic) {
    builder.add_sites_of_generic(counting_of(Space::shared, store), bytes, store);
  }
  if (store && instruction.has("async")) complete_transfer(builder, instruction.operands[2], bytes);
}

/// The type that is added: vectors name theirs before the function, `red.global.v2.f32.add`, or at the end.
Type updated_type(const Builder& builder) {
  for (const std::string_view part : builder.current().parts | std::views::reverse) {
    if (const auto type = ptx::type_named(part)) return *type;
  }
  throw Error("it names no type");
}

/// red.global.add.v2.f32 [a], {b, c}; atom.global.add.noftz.v4.f16x2 {…}, [a], {…};
void update_vector(Builder& builder, const std::string& function, const Entry& known) {
  const auto& operands = builder.current().operands;
  const bool atom = builder.current().parts.front() == "atom";
  const Operand& values = operands.back();
  const bool returns = atom && std::ranges::any_of(operands[0].parts, [&](const Operand& part) {
                         return builder.is_read(part);
                       });
  const Type type = known.types[0];
  const int bytes = ptx::bytes_of(type) * static_cast<int>(values.parts.size());
  if (bytes > 16 || (returns && operands[0].parts.size() != values.parts.size()))
    throw Error("another number of elements than known");
  const Entry& entry = builder.entry((returns ? "atom.vector." : "red.vector.") + function);
  const Address address = data_address(builder, operands[atom ? 1 : 0]);
  std::vector<std::uint32_t> results;
  std::vector<std::uint32_t> reads;
  reads.reserve(values.parts.size() + 1);
  for (const Operand& value : values.parts) reads.push_back(builder.read(value, type));
  if (returns) {
    for (const Operand& result : operands[0].parts) results.push_back(builder.write(result, type));
  }
  reads.push_back(address.base);
  builder.order_matters = true;
  const std::uint32_t site = builder.add_site(returns ? Counting::global_atomic : Counting::global_reduction,
                                              bytes, true, address.wide, address.space);
  if (address.space == Space::generic) builder.add_sites_of_generic(Counting::shared_atomic, bytes, true);
  Draft& draft = builder.emit(entry.run, std::move(results), std::move(reads));
  draft.listed = true;
  draft.immediate = address.offset;
  draft.site = site;
}

/// atom.global.add.u32 d, [a], b; red.shared.add.f32 [a], b; atom.cas.b32 d, [a], b, c;
void update(Builder& builder) {
  const ptx::Instruction& instruction = builder.current();
  const auto& operands = instruction.operands;
  const bool atom = instruction.parts.front() == "atom";
  const std::size_t at = atom ? 1 : 0;
  if (operands.size() < at + 2) throw Error("another number of operands than known");
  static constexpr std::array<std::string_view, 10> functions{"add", "min",  "max", "and", "or",
                                                              "xor", "exch", "cas", "inc", "dec"};
  const auto function = std::ranges::find_first_of(instruction.parts, functions);
  if (function == instruction.parts.end()) throw Error("this instruction is not known here");
  // An atomic whose result is not used becomes a reduction, if ptxas has made it one.
  const bool reads_exchange = *function == "exch" || *function == "cas";
  const bool returns = atom && (builder.is_read(operands[0]) || reads_exchange);
  const std::string name = std::string(*function) + '.' + std::string(ptx::name_of(updated_type(builder)));
  const Entry& entry = builder.entry((returns ? "atom." : "red.") + name);
  if (operands.back().kind == Operand::Kind::vector) return update_vector(builder, name, entry);
  const Type type = entry.types[0];
  const Address address = data_address(builder, operands[at]);
  std::vector<std::uint32_t> reads{address.base};
  for (std::size_t i = at + 1; i < operands.size(); ++i) reads.push_back(builder.read(operands[i], type));
  if (reads.size() != (*function == "cas" ? 3U : 2U)) throw Error("another number of operands than known");
  const bool rounds = *function == "add" && ptx::is_floating(type);
  if (may_be_global(address.space) && (returns || rounds)) builder.order_matters = true;
  const int bytes = ptx::bytes_of(type);
  // There is no reduction of a generic address.
  const bool reduces = !returns && address.space != Space::generic && !builder.execution().gives_back;
  const Counting global = reduces ? Counting::global_reduction : Counting::global_atomic;
  const Counting shared = *function == "cas" ? Counting::shared_compare : Counting::shared_atomic;
  const Counting counting = address.space == Space::shared ? shared : global;
  const std::uint32_t site = builder.add_site(counting, bytes, true, address.wide, address.space);
  Draft& draft = builder.emit(entry.run, {}, std::move(reads));
  if (returns) draft.results = {builder.write(operands[0], type)};
  draft.use = Use::update;
  draft.immediate = address.offset;
  draft.site = site;
  if (address.space == Space::shared && builder.execution().kind == Execution::Kind::swap_loop)
    builder.add_site(Counting::shared_load, bytes, false, address.wide, Space::shared);  // of each turn
  if (address.space == Space::generic) builder.add_sites_of_generic(shared, bytes, true);
}

}  // namespace

Counting counting_of(Space space, bool store) {
  if (space == Space::global || space == Space::generic)
    return store ? Counting::global_store : Counting::global_load;
  if (space == Space::shared) return store ? Counting::shared_store : Counting::shared_load;
  return Counting::nothing;
}

Address decode_address(Builder& builder, const Operand& operand, Space space) {
  if (operand.kind != Operand::Kind::address || operand.parts.empty()) throw Error("no address");
  const Operand& base = operand.parts.front();
  const ptx::Layout& layout = builder.layout();
  Address address{space, 0, operand.bits, true};
  if (base.is_reg()) {
    address.base = builder.slot_of(base);
    address.wide = builder.bytes_of(base) == 8;
    if (space == Space::param && builder.function().kernel)
      address.space = Space::global;  // the bank of parameters
    if (space == Space::constant) address.space = Space::global;
    if (!address.wide && address.space != Space::shared && address.space != Space::local) {
      throw Error("an address of 32 bits, which only shared and local memory have");
    }
    return address;
  }
  std::uint64_t start = 0;
  if (base.kind == Operand::Kind::integer) {
    start = base.bits;
  } else if (base.kind == Operand::Kind::variable) {
    start = layout.own[base.index];
    const Space own = builder.function().variables[base.index].space;
    const auto parameters = builder.function().parameters.size();
    if (own == Space::param && builder.function().kernel && base.index < parameters) {
      start += layout.parameter_bank;
      address.space = Space::global;
    } else {
      address.space = own;
    }
  } else if (const auto shared = layout.shared.find(base.name); shared != layout.shared.end()) {
    start = shared->second;
    address.space = Space::shared;
  } else if (const auto other = layout.addresses->find(base.name); other != layout.addresses->end()) {
    start = other->second;
    address.space = Space::global;
  } else {
    throw Error("unknown name " + std::string(base.name));
  }
  if (address.space == Space::constant) address.space = Space::global;
  const bool on_stack = address.space == Space::local || address.space == Space::param;
  if (on_stack && !builder.function().kernel) {
    address.base = builder.new_slot(8);
    builder.emit("local.address", {address.base}, {}).immediate = start;
  } else {
    address.base = builder.constant(start, 8);
  }
  return address;
}

bool decode_memory(Builder& builder) {
  const std::string_view opcode = builder.current().parts.front();
  if (opcode != "ld" && opcode != "ldu" && opcode != "st") return false;
  move(builder, opcode == "st");
  return true;
}

bool decode_atomic(Builder& builder) {
  const std::string_view opcode = builder.current().parts.front();
  if (opcode != "atom" && opcode != "red") return false;
  update(builder);
  return true;
}

}  // namespace weft::emulator
