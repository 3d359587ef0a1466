#include "emulator/check/taint.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "emulator/execute/fault.hpp"
#include "emulator/execute/warp.hpp"

namespace weft::emulator {

const Uses& Taint::uses_of(const Warp& warp, const Operation& operation) {
  const Routine& routine = *warp.context.routine;
  return routine.uses[static_cast<std::size_t>(&operation - routine.code.data())];
}

void Taint::add(const Warp& warp, Uses::Slot slot, std::uint32_t lanes, const Operation& origin) {
  const std::byte* const begin = warp.context.frame + slot.offset;
  const auto same = [&](const Register& r) { return r.begin == begin && r.bytes == slot.bytes; };
  const auto known = std::ranges::find_if(registers_, same);
  if (known == registers_.end()) {
    registers_.push_back({begin, slot.bytes, lanes, &origin});
  } else {
    known->lanes |= lanes;
  }
}

void Taint::remove(const std::byte* begin, std::uint32_t bytes, std::uint32_t lanes) {
  std::erase_if(registers_, [&](Register& r) {
    if (r.begin < begin + bytes && begin < r.begin + r.bytes) {
      r.lanes = r.begin == begin && r.bytes == bytes ? r.lanes & ~lanes : 0;
    }
    return r.lanes == 0;
  });
}

const Taint::Register* Taint::find(const Warp& warp, Uses::Slot slot) const {
  const std::byte* const begin = warp.context.frame + slot.offset;
  const auto same = [&](const Register& r) {
    return r.begin == begin && r.bytes == slot.bytes && (r.lanes & warp.active) != 0;
  };
  const auto known = std::ranges::find_if(registers_, same);
  return known == registers_.end() ? nullptr : &*known;
}

void Taint::refuse(const Warp& warp, const Operation& operation, const Register& used) const {
  const Use use = uses_of(warp, operation).use;
  const std::string what = use == Use::decide ? "branches by"
                           : use == Use::load ? "takes for an address"
                                              : "stores";
  const Site& site = (*warp.block->grid->sites)[used.origin->site];
  throw fault(warp, operation, std::countr_zero(used.lanes & warp.active),
              what + " what it read from memory that nothing had written, at " +
                  position_text(*warp.block->grid->kernel, site.position));
}

/// Finds out, before an operation runs, what it will make of tainted operands.
void Taint::step(Warp& warp, const Operation& operation) {
  const Uses& uses = uses_of(warp, operation);
  std::uint32_t lanes = 0;
  const Operation* origin = nullptr;
  const std::uint32_t chosen =
      uses.use == Use::choose ? warp.predicate(uses.operands.back().offset) : all_lanes;
  for (std::size_t i = 0; i < uses.operands.size(); ++i) {
    const Register* const tainted = find(warp, uses.operands[i]);
    if (tainted == nullptr) continue;
    if (uses.use != Use::compute && uses.use != Use::choose) refuse(warp, operation, *tainted);
    const std::uint32_t of_interest = uses.use != Use::choose || i == 2 ? all_lanes
                                      : i == 0                          ? chosen
                                                                        : ~chosen;
    lanes |= tainted->lanes & of_interest & warp.active;
    origin = tainted->origin;
  }
  for (const Uses::Slot& result : uses.results) {
    remove(warp.context.frame + result.offset, result.bytes, warp.active);
    if (lanes != 0) add(warp, result, lanes, *origin);
  }
}

const Operation* Taint::follow(Warp& warp, const Operation* operation) {
  if (following_) return operation;
  following_ = true;
  while (operation != nullptr && any()) {
    step(warp, *operation);
    operation = operation->run(warp, *operation);
  }
  following_ = false;
  return operation;
}

}  // namespace weft::emulator
