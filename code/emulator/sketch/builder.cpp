#include "emulator/sketch/builder.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "emulator/error.hpp"
#include "emulator/ptx/instruction.hpp"

namespace weft::emulator {
namespace {

using ptx::Operand;
using ptx::Type;

bool is_signed(Type type) { return type == Type::s8 || type == Type::s16 || type == Type::s32; }

void each_register(const Operand& operand, auto visit) {
  if (operand.is_reg()) visit(operand.index);
  for (const Operand& part : operand.parts) each_register(part, visit);
}

std::optional<Doubt> doubt_of(const Execution& execution) {
  if (!execution.exact) return Doubt::machine_code;
  return execution.scheduled ? std::optional(Doubt::schedule) : std::nullopt;
}

constexpr std::array<std::pair<std::string_view, Special>, 45> special_names{{
    {"%tid.x", Special::tid_x},
    {"%tid.y", Special::tid_y},
    {"%tid.z", Special::tid_z},
    {"%ntid.x", Special::ntid_x},
    {"%ntid.y", Special::ntid_y},
    {"%ntid.z", Special::ntid_z},
    {"%ctaid.x", Special::ctaid_x},
    {"%ctaid.y", Special::ctaid_y},
    {"%ctaid.z", Special::ctaid_z},
    {"%nctaid.x", Special::nctaid_x},
    {"%nctaid.y", Special::nctaid_y},
    {"%nctaid.z", Special::nctaid_z},
    {"%laneid", Special::laneid},
    {"%warpid", Special::warpid},
    {"%nwarpid", Special::nwarpid},
    {"%lanemask_eq", Special::lanemask_eq},
    {"%lanemask_le", Special::lanemask_le},
    {"%lanemask_lt", Special::lanemask_lt},
    {"%lanemask_ge", Special::lanemask_ge},
    {"%lanemask_gt", Special::lanemask_gt},
    {"%smid", Special::smid},
    {"%nsmid", Special::nsmid},
    {"%gridid", Special::gridid},
    {"%reserved_smem_offset_begin", Special::reserved_shared_0},
    {"%reserved_smem_offset_0", Special::reserved_shared_0},
    {"%reserved_smem_offset_1", Special::reserved_shared_1},
    {"%reserved_smem_offset_end", Special::reserved_shared_end},
    {"%envreg1", Special::workspace_high},
    {"%envreg2", Special::workspace_low},
    {"%dynamic_smem_size", Special::dynamic_shared},
    {"%total_smem_size", Special::total_shared},
    {"%clusterid.x", Special::clusterid_x},
    {"%clusterid.y", Special::clusterid_y},
    {"%clusterid.z", Special::clusterid_z},
    {"%nclusterid.x", Special::nclusterid_x},
    {"%nclusterid.y", Special::nclusterid_y},
    {"%nclusterid.z", Special::nclusterid_z},
    {"%cluster_ctaid.x", Special::cluster_ctaid_x},
    {"%cluster_ctaid.y", Special::cluster_ctaid_y},
    {"%cluster_ctaid.z", Special::cluster_ctaid_z},
    {"%cluster_nctaid.x", Special::cluster_nctaid_x},
    {"%cluster_nctaid.y", Special::cluster_nctaid_y},
    {"%cluster_nctaid.z", Special::cluster_nctaid_z},
    {"%cluster_ctarank", Special::cluster_ctarank},
    {"%cluster_nctarank", Special::cluster_nctarank},
}};

}  // namespace

Builder::Builder(const ptx::Function& function, const Surroundings& surroundings)
    : function_(function), surroundings_(surroundings) {
  sketch.labels.resize(function.instructions.size() + 1);
  count_uses();
}

void Builder::count_uses() {
  definitions_.resize(function_.registers.size());
  uses_.resize(function_.registers.size());
  for (const ptx::Instruction& instruction : function_.instructions) {
    const bool result_first = !has_no_result(instruction);
    if (instruction.guarded) ++uses_[instruction.guard.index];
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
      const bool result = i == 0 && result_first;
      const bool added_to = result && instruction.parts.front() == "wgmma";
      each_register(instruction.operands[i], [&](std::uint32_t index) {
        ++(result ? definitions_ : uses_)[index];
        if (added_to) ++uses_[index];
      });
    }
  }
}

std::uint32_t Builder::new_slot(int bytes) {
  sketch.slots.push_back({bytes, false, false});
  return static_cast<std::uint32_t>(sketch.slots.size()) - 1;
}

std::uint32_t Builder::new_predicate() {
  sketch.slots.push_back({4, true, false});
  return static_cast<std::uint32_t>(sketch.slots.size()) - 1;
}

std::uint32_t Builder::carry() {
  if (!carry_) carry_ = new_predicate();
  return *carry_;
}

std::uint32_t Builder::fixed_slot(int bytes) {
  sketch.slots.push_back({bytes, false, true});
  return static_cast<std::uint32_t>(sketch.slots.size()) - 1;
}

int Builder::bytes_of(const Operand& reg) const {
  return std::max(4, ptx::bytes_of(function_.registers[reg.index].type));
}

std::uint32_t Builder::slot_of(const Operand& reg) {
  const auto known = registers_.find(reg.index);
  if (known != registers_.end()) return known->second;
  const bool predicate = function_.registers[reg.index].type == Type::pred;
  const std::uint32_t slot = predicate ? new_predicate() : new_slot(bytes_of(reg));
  registers_[reg.index] = slot;
  return slot;
}

std::uint32_t Builder::constant(std::uint64_t bits, int bytes) {
  if (bytes == 4) bits &= 0xffffffffU;
  const auto [place, added] = constant_slots_.try_emplace({bits, bytes}, 0);
  if (added) {
    place->second = fixed_slot(bytes);
    constants.emplace_back(place->second, bits);
  }
  return place->second;
}

std::uint32_t Builder::special(Special special) {
  const auto [place, added] = special_slots_.try_emplace(special, 0);
  if (added) {
    place->second = fixed_slot(4);
    specials.emplace_back(place->second, special);
  }
  return place->second;
}

std::optional<std::uint32_t> Builder::special(std::string_view name) {
  const auto found = std::ranges::find(special_names, name, &std::pair<std::string_view, Special>::first);
  if (found == special_names.end()) return std::nullopt;
  return special(found->second);
}

std::uint32_t Builder::parameter(std::uint32_t offset, Type type, int bytes) {
  const std::uint32_t slot = fixed_slot(bytes);
  parameters.emplace_back(slot, ParameterSlot{0, bytes, offset, type});
  return slot;
}

std::optional<std::uint64_t> Builder::immediate(const Operand& operand, Type type) const {
  switch (operand.kind) {
    case Operand::Kind::integer:
      if (type == Type::f32)
        return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int64_t>(operand.bits)));
      if (type == Type::f64)
        return std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(operand.bits)));
      return operand.bits;
    case Operand::Kind::single:
      if (type == Type::f64) {
        return std::bit_cast<std::uint64_t>(
            static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(operand.bits))));
      }
      return operand.bits;
    case Operand::Kind::real:
      if (type == Type::f32)
        return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits)));
      return operand.bits;
    default:
      return std::nullopt;
  }
}

std::uint64_t Builder::integer(const Operand& operand) const {
  if (operand.kind != Operand::Kind::integer)
    throw Error("an operand that is no number, where only a number is known");
  return operand.bits;
}

std::uint32_t Builder::read(const Operand& operand, Type type) {
  if (type == Type::pred) return read_predicate(operand);
  const int bytes = std::max(4, ptx::bytes_of(type));
  if (const auto bits = immediate(operand, type)) return constant(*bits, bytes);
  if (operand.kind == Operand::Kind::symbol) {
    if (const auto slot = special(operand.name)) {
      if (bytes == 4) return *slot;
      const std::uint32_t wide = new_slot(8);
      emit("cvt.u64.u32", {wide}, {*slot}).pure = true;
      return wide;
    }
  }
  if (!operand.is_reg()) throw Error("an operand of a kind that is not known here");
  const std::uint32_t slot = slot_of(operand);
  if (sketch.slots[slot].predicate) throw Error("a predicate where a value is wanted");
  const int own_bytes = sketch.slots[slot].bytes;
  if (own_bytes == bytes) return slot;
  const std::uint32_t converted = new_slot(bytes);
  if (own_bytes == 8 && bytes == 4) {
    emit("cvt.u32.u64", {converted}, {slot}).pure = true;
  } else if (own_bytes == 4 && bytes == 8) {
    emit("cvt.u64.u32", {converted}, {slot}).pure = true;
  } else {
    throw Error("an operand of another width");
  }
  return converted;
}

std::vector<std::uint32_t> Builder::read_operands(const Entry& entry) {
  const ptx::Operands& operands = current().operands;
  if (operands.size() != entry.types.size()) throw Error("another number of operands than known");
  std::vector<std::uint32_t> slots;
  for (std::size_t i = 1; i < operands.size(); ++i) slots.push_back(read(operands[i], entry.types[i]));
  return slots;
}

std::uint32_t Builder::guard() {
  const Operand& guard = current().guard;
  if (function_.registers[guard.index].type != Type::pred) throw Error("its guard is no predicate");
  return slot_of(guard);
}

std::uint32_t Builder::read_predicate(const Operand& operand) {
  if (operand.kind == Operand::Kind::integer) {
    const std::uint32_t slot = new_predicate();
    emit("pred.constant", {slot}, {}).immediate = operand.bits != 0 ? ~std::uint64_t{0} : 0;
    return slot;
  }
  if (!operand.is_reg() || function_.registers[operand.index].type != Type::pred)
    throw Error("a predicate is wanted");
  const std::uint32_t slot = slot_of(operand);
  if (!operand.negated) return slot;
  const std::uint32_t inverse = new_predicate();
  emit("not.pred", {inverse}, {slot});
  return inverse;
}

std::uint32_t Builder::write(const Operand& operand, Type type) {
  const bool predicate = type == Type::pred;
  const int bytes = std::max(4, ptx::bytes_of(type));
  if (operand.kind == Operand::Kind::sink) return predicate ? new_predicate() : new_slot(bytes);
  if (!operand.is_reg()) throw Error("a result that is no register");
  const std::uint32_t slot = slot_of(operand);
  if (sketch.slots[slot].predicate != predicate) throw Error("a result of another kind than its register");
  if (predicate || sketch.slots[slot].bytes == bytes) return slot;
  if (sketch.slots[slot].bytes != 8 || bytes != 4) throw Error("a result of another width than its register");
  const std::uint32_t narrow = new_slot(4);
  pending_.push_back({narrow, slot, is_signed(type)});
  return narrow;
}

void Builder::finish() {
  for (const auto& [from, to, sign] : std::exchange(pending_, {})) {
    emit(sign ? "cvt.s64.s32" : "cvt.u64.u32", {to}, {from}).pure = true;
  }
}

bool Builder::defined_once(const Operand& reg) const {
  return reg.is_reg() && definitions_[reg.index] == 1 && !current().guarded;
}

bool Builder::is_read(const Operand& reg) const { return reg.is_reg() && uses_[reg.index] > 0; }

const Entry& Builder::entry(const std::string& name) const {
  const Entry* const found = surroundings_.table.find(name);
  if (found == nullptr) throw Error("this instruction is not known here");
  return *found;
}

Draft& Builder::emit(Handler run, std::vector<std::uint32_t> results, std::vector<std::uint32_t> operands) {
  Draft draft;
  draft.run = run;
  draft.results = std::move(results);
  draft.operands = std::move(operands);
  draft.instruction = current_;
  sketch.drafts.push_back(std::move(draft));
  return sketch.drafts.back();
}

std::uint32_t Builder::add_site(Counting counting, int bytes, bool write, bool wide, ptx::Space space) {
  const Execution made = execution();
  Site site{.counting = counting, .bytes = bytes, .write = write, .wide = wide, .space = space};
  site.position = current().position;
  if (made.kind == Execution::Kind::elsewhere) site.counting = Counting::nothing;
  site.machine_bytes = made.bytes;
  site.machine_offset = made.offset;
  site.once_per_width = made.once_per_width;
  site.one_lane = made.kind == Execution::Kind::one_lane;
  if (counting == Counting::shared_atomic && made.kind == Execution::Kind::swap_loop)
    site.counting = Counting::shared_swap;
  if (counting == Counting::shared_atomic && made.kind == Execution::Kind::increment)
    site.counting = Counting::shared_increment;
  // What generic addresses do in shared memory are no instructions of shared memory.
  const bool generic = space == ptx::Space::shared && space_of(current()) == ptx::Space::generic;
  site.tallied = made.tallied || (generic && !made.found_shared);
  const auto guard = guard_sites_.find(current_);
  if (guard != guard_sites_.end() && site.tallied) site.guard_site = guard->second;
  site.doubt = doubt_of(made);
  static constexpr std::array<std::string_view, 9> strong{
      "atom", "red", "volatile", "relaxed", "acquire", "release", "acq_rel", "mmio", "mbarrier"};
  site.strong = std::ranges::find_first_of(current().parts, strong) != current().parts.end();
  site.updates = current().parts.front() == "atom" || current().parts.front() == "red";
  surroundings_.sites.push_back(site);
  return static_cast<std::uint32_t>(surroundings_.sites.size()) - 1;
}

void Builder::add_sites_of_generic(Counting shared, int bytes, bool write) {
  add_site(shared, bytes, write, true, ptx::Space::shared);
  doubt_local_memory(add_site(Counting::nothing, bytes, write, true, ptx::Space::local));
}

void Builder::doubt_local_memory(std::uint32_t site) const {
  surroundings_.sites[site].doubt.reset();
  if (surroundings_.executions.has_local) surroundings_.sites[site].doubt = Doubt::local_memory;
}

std::uint32_t Builder::add_doubtful_site(Doubt doubt, ptx::Space space) {
  const std::uint32_t site = add_site(Counting::nothing, 1, false, true, space);
  surroundings_.sites[site].doubt = doubt;
  return site;
}

std::uint32_t Builder::add_division(std::uint32_t branch, Doubt doubt) {
  set_current(branch);
  return add_doubtful_site(doubt, ptx::Space::generic);
}

void Builder::add_tallies() {
  const auto [first, last] = surroundings_.executions.tallies.equal_range(current_);
  for (auto at = first; at != last; ++at) {
    const Tally& tally = at->second;
    Site site;
    site.space = ptx::Space::shared;
    site.position = function_.instructions[tally.instruction].position;
    site.doubt.reset();
    if (tally.operation == MachineOperation::load_shared) site.counting = Counting::shared_load;
    if (tally.operation == MachineOperation::store_shared) site.counting = Counting::shared_store;
    if (tally.operation == MachineOperation::atomic_shared) site.counting = Counting::shared_atomic;
    surroundings_.sites.push_back(site);
    Draft& draft = emit("tally", {}, {});
    draft.immediate = static_cast<std::uint64_t>(tally.count);
    draft.site = static_cast<std::uint32_t>(surroundings_.sites.size()) - 1;
    if (tally.unsure) guard_sites_[tally.instruction] = draft.site + 1;
  }
}

std::uint32_t Builder::new_label() {
  sketch.labels.push_back(0);
  return static_cast<std::uint32_t>(sketch.labels.size()) - 1;
}

}  // namespace weft::emulator
