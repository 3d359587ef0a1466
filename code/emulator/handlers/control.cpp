/// @file
/// Handlers of control flow, barriers and predicates.

#include <bit>

#include "emulator/execute/block.hpp"
#include "emulator/execute/fault.hpp"
#include "emulator/execute/warp.hpp"
#include "emulator/handlers/handlers.hpp"

namespace weft::emulator {
namespace {

std::uint32_t flip_of(const Operation& operation) { return static_cast<std::uint32_t>(operation.immediate); }

const Operation* jump(Warp& /*warp*/, const Operation& operation) { return operation.target; }

const Operation* jump_back(Warp& warp, const Operation& operation) {
  return --warp.budget > 0 ? operation.target : yield(warp, operation.target);
}

/// Slot 0: the predicate; immediate: all ones to jump where it is false.
const Operation* branch(Warp& warp, const Operation& operation) {
  const std::uint32_t taken = (warp.predicate(operation.slots[0]) ^ flip_of(operation)) & warp.active;
  if (taken == 0) return &operation + 1;
  if (taken == warp.active) return operation.target;
  return diverge(warp, operation, taken);
}

/// The same, where a doubt depends on whether anyone jumps.
const Operation* noted_branch(Warp& warp, const Operation& operation) {
  const std::uint32_t taken = (warp.predicate(operation.slots[0]) ^ flip_of(operation)) & warp.active;
  if (taken != 0) ++warp.accesses[operation.site - 1].requests;
  return branch(warp, operation);
}

const Operation* branch_back(Warp& warp, const Operation& operation) {
  const std::uint32_t taken = (warp.predicate(operation.slots[0]) ^ flip_of(operation)) & warp.active;
  if (taken == 0) return &operation + 1;
  if (taken == warp.active) return --warp.budget > 0 ? operation.target : yield(warp, operation.target);
  const Operation* const next = diverge(warp, operation, taken);
  return --warp.budget > 0 ? next : yield(warp, next);
}

const Operation* exit_all(Warp& warp, const Operation& operation) {
  return exit_lanes(warp, &operation + 1, warp.active);
}

const Operation* exit_some(Warp& warp, const Operation& operation) {
  const std::uint32_t exiting = (warp.predicate(operation.slots[0]) ^ flip_of(operation)) & warp.active;
  return exiting == 0 ? &operation + 1 : exit_lanes(warp, &operation + 1, exiting);
}

/// The operations up to `target`, which is behind an `unguard`, are for the lanes whose predicate is true.
const Operation* guard(Warp& warp, const Operation& operation) {
  const std::uint32_t chosen = (warp.predicate(operation.slots[0]) ^ flip_of(operation)) & warp.active;
  if (chosen == 0) return operation.target;
  warp.saved_active = warp.active;
  if (chosen != warp.active) warp.set_active(chosen);
  return &operation + 1;
}

const Operation* unguard(Warp& warp, const Operation& operation) {
  if (warp.active != warp.saved_active) warp.set_active(warp.saved_active);
  return &operation + 1;
}

const Operation* trap(Warp& warp, const Operation& operation) {
  throw fault(warp, operation, std::countr_zero(warp.active), "executes a trap");
}

template <class Function>
const Operation* logic(Warp& warp, const Operation& operation) {
  const std::uint32_t a = warp.predicate(operation.slots[1]);
  const std::uint32_t b = warp.predicate(operation.slots[2]);
  warp.set_predicate(operation.slots[0], Function{}(a, b));
  return &operation + 1;
}

template <bool inverts>
const Operation* copy_predicate(Warp& warp, const Operation& operation) {
  const std::uint32_t a = warp.predicate(operation.slots[1]);
  warp.set_predicate(operation.slots[0], inverts ? ~a : a);
  return &operation + 1;
}

const Operation* constant_predicate(Warp& warp, const Operation& operation) {
  warp.set_predicate(operation.slots[0], static_cast<std::uint32_t>(operation.immediate));
  return &operation + 1;
}

/// The value of a slot that all active lanes share.
std::uint32_t common_value(const Warp& warp, std::uint32_t slot) {
  return warp.values<std::uint32_t>(slot)[std::countr_zero(warp.active)];
}

/// Slots: the barrier's number, threads that it waits for (0: all), and perhaps a predicate to vote with.
/// Immediate: 1 if warps may only come as a whole.
template <bool waits, bool votes>
const Operation* barrier(Warp& warp, const Operation& operation) {
  const std::uint32_t number = common_value(warp, operation.slots[0]);
  const std::uint32_t threads = common_value(warp, operation.slots[1]);
  if (number >= warp.block->barriers.size()) {
    throw fault(warp, operation, std::countr_zero(warp.active), "waits at a barrier beyond number 15");
  }
  const bool whole_warp = operation.immediate != 0;
  if (whole_warp && warp.block->grid->checked && warp.active != warp.live &&
      warp.block->open_joins->empty()) {
    throw fault(warp, operation, std::countr_zero(warp.active),
                "waits at a barrier that not all threads of its warp reach together (divergent barrier)");
  }
  const std::uint32_t voting = votes ? warp.predicate(operation.slots[2]) & warp.active : 0;
  const auto arriving = static_cast<std::uint32_t>(std::popcount(warp.active));
  if (!waits) {
    warp.block->arrive(warp, number, arriving, threads, 0);
    return &operation + 1;
  }
  Block& block = *warp.block;
  const Operation* const next = park(warp, &operation + 1, Fragment::State::at_barrier, number);
  block.arrive(warp, number, arriving, threads, static_cast<std::uint32_t>(std::popcount(voting)));
  return next;
}

enum class BarrierVote : std::uint8_t { count, all, any };

/// Slots: the result and the number of the barrier that has just opened.
template <BarrierVote vote>
const Operation* barrier_result(Warp& warp, const Operation& operation) {
  const Barrier& at = warp.block->barriers[common_value(warp, operation.slots[1])];
  if constexpr (vote == BarrierVote::count) {
    warp.broadcast(operation.slots[0], at.result);
  } else {
    const bool truth = vote == BarrierVote::all ? at.result == at.voters : at.result > 0;
    warp.set_predicate(operation.slots[0], truth ? all_lanes : 0);
  }
  return &operation + 1;
}

/// Behind a load of what others change.
const Operation* look(Warp& warp, const Operation& operation) {
  look_for_others(warp);
  return &operation + 1;
}

/// Counts an instruction that need not have any lanes.
const Operation* tally(Warp& warp, const Operation& operation) {
  warp.accesses[operation.site].requests += operation.immediate;
  return &operation + 1;
}

/// Where the running routine's local variables start.
const Operation* local_address(Warp& warp, const Operation& operation) {
  auto* const result = warp.values<std::uint64_t>(operation.slots[0]);
  for (int lane = 0; lane < lanes; ++lane) {
    if (warp.lane_mask[lane] != 0) result[lane] = warp.context.local + operation.immediate;
  }
  return &operation + 1;
}

/// `%clock` and its like: no emulated time is meant. It goes on a little whenever a thread looks, so that who
/// waits for a time gets there, and a run repeats to the last bit.
template <class T, int shift>
const Operation* clock(Warp& warp, const Operation& operation) {
  constexpr std::uint64_t between_launches = std::uint64_t{1} << 24;
  constexpr std::uint64_t step = 128;
  warp.block->clock += step;
  const std::uint64_t now = warp.block->grid->number * between_launches + warp.block->clock;
  auto* const result = warp.values<T>(operation.slots[0]);
  for (int lane = 0; lane < lanes; ++lane) {
    if (warp.lane_mask[lane] != 0) result[lane] = static_cast<T>(now >> shift);
  }
  return &operation + 1;
}

/// Slot 0: nanoseconds. Others run first.
const Operation* sleep(Warp& warp, const Operation& operation) {
  warp.block->clock += warp.values<std::uint32_t>(operation.slots[0])[std::countr_zero(warp.active)];
  warp.budget = 0;
  return &operation + 1;
}

}  // namespace

void add_control(Table& table) {
  using ptx::Type;
  table.add("meet", "", &meet, {});
  table.add("bra", "", &jump, {});
  table.add("bra.back", "", &jump_back, {});
  table.add("bra.if", "", &branch, {});
  table.add("bra.if.noted", "", &noted_branch, {});
  table.add("bra.if.back", "", &branch_back, {});
  table.add("exit", "", &exit_all, {});
  table.add("exit.if", "", &exit_some, {});
  table.add("guard", "", &guard, {});
  table.add("unguard", "", &unguard, {});
  table.add("trap", "", &trap, {});
  table.add("look", "", &look, {});
  table.add("tally", "", &tally, {});
  const auto add_logic = [&]<class Function>(const char* name, Function) {
    table.add(name, "", &logic<Function>, {Type::pred, Type::pred, Type::pred});
  };
  add_logic("and.pred", [](std::uint32_t a, std::uint32_t b) { return a & b; });
  add_logic("or.pred", [](std::uint32_t a, std::uint32_t b) { return a | b; });
  add_logic("xor.pred", [](std::uint32_t a, std::uint32_t b) { return a ^ b; });
  table.add("not.pred", "", &copy_predicate<true>, {Type::pred, Type::pred});
  table.add("mov.pred", "", &copy_predicate<false>, {Type::pred, Type::pred});
  table.add("pred.constant", "", &constant_predicate, {Type::pred});
  table.add("bar.sync", "", &barrier<true, false>, {});
  table.add("bar.arrive", "", &barrier<false, false>, {});
  table.add("bar.vote", "", &barrier<true, true>, {});
  table.add("bar.result.popc", "", &barrier_result<BarrierVote::count>, {});
  table.add("bar.result.and", "", &barrier_result<BarrierVote::all>, {});
  table.add("bar.result.or", "", &barrier_result<BarrierVote::any>, {});
  table.add("local.address", "", &local_address, {});
  table.add("mov%clock", "", &clock<std::uint32_t, 0>, {Type::u32});
  table.add("mov%clock_hi", "", &clock<std::uint32_t, 32>, {Type::u32});
  table.add("mov%clock64", "", &clock<std::uint64_t, 0>, {Type::u64});
  table.add("mov%globaltimer", "", &clock<std::uint64_t, 0>, {Type::u64});
  table.add("mov%globaltimer_lo", "", &clock<std::uint32_t, 0>, {Type::u32});
  table.add("mov%globaltimer_hi", "", &clock<std::uint32_t, 32>, {Type::u32});
  table.add("nanosleep", "", &sleep, {});
}

}  // namespace weft::emulator
