/// @file
/// Calls. What a call passes lies in the caller's local memory; the callee's follows it in the thread's.

#include <bit>
#include <cstring>
#include <string>

#include "emulator/execute/block.hpp"
#include "emulator/execute/fault.hpp"
#include "emulator/execute/memory.hpp"
#include "emulator/execute/warp.hpp"
#include "emulator/handlers/handlers.hpp"
#include "emulator/names.hpp"

namespace weft::emulator {
namespace {

void copy(const Warp& warp, std::uint64_t to, std::uint64_t from, std::uint32_t bytes) {
  each_lane(warp.active, [&](int lane) {
    std::byte* const memory = local_memory(warp, lane);
    std::memcpy(memory + to, memory + from, bytes);
  });
}

const Operation* enter(Warp& warp, const Operation& operation, const Routine& callee) {
  const auto& site = *static_cast<const CallSite*>(operation.more);
  Context& context = warp.context;
  const std::uint32_t local = context.local + context.routine->local_bytes;
  if (local + callee.local_bytes > warp.block->local_bytes) {
    throw fault(warp, operation, std::countr_zero(warp.active),
                "calls " + readable_name(callee.name) + ", for which its stack of " +
                    std::to_string(warp.block->local_bytes) + " bytes has no room");
  }
  if (site.arguments.size() != callee.parameter_places.size() ||
      site.results.size() != callee.result_places.size()) {
    throw fault(warp, operation, std::countr_zero(warp.active),
                "calls " + readable_name(callee.name) + " with other parameters than it has");
  }
  for (std::size_t i = 0; i < site.arguments.size(); ++i) {
    const ParameterPlace& place = callee.parameter_places[i];
    copy(warp, local + place.offset, context.local + site.arguments[i], place.bytes);
  }
  context.calls.push_back({&operation, context.frame, context.routine, context.local});
  context.frame = warp.frames.enter(warp, callee, warp.active);
  context.routine = &callee;
  context.local = local;
  return callee.code.data();
}

const Operation* call(Warp& warp, const Operation& operation) {
  return enter(warp, operation, *static_cast<const CallSite*>(operation.more)->callee);
}

/// Slot 0: the function's address. Lanes that call another one come back to this operation later.
const Operation* call_address(Warp& warp, const Operation& operation) {
  const auto* const addresses = warp.values<std::uint64_t>(operation.slots[0]);
  const int first = std::countr_zero(warp.active);
  std::uint32_t others = 0;
  each_lane(warp.active, [&](int lane) {
    if (addresses[lane] != addresses[first]) others |= 1U << lane;
  });
  const Routine* const callee = warp.context.routine->callables->at(addresses[first]);
  if (callee == nullptr) {
    throw fault(warp, operation, first,
                "calls " + hexadecimal(addresses[first]) + ", where no device function is");
  }
  if (others != 0) set_aside(warp, operation, others);
  return enter(warp, operation, *callee);
}

const Operation* return_from_call(Warp& warp, const Operation& /*operation*/) {
  Context& context = warp.context;
  const Call caller = context.calls.back();
  const auto& site = *static_cast<const CallSite*>(caller.operation->more);
  for (std::size_t i = 0; i < site.results.size(); ++i) {
    const ParameterPlace& place = context.routine->result_places[i];
    copy(warp, caller.local + site.results[i], context.local + place.offset, place.bytes);
  }
  warp.frames.leave(context.frame, warp.active);
  context.calls.pop_back();
  context.frame = caller.frame;
  context.routine = caller.routine;
  context.local = caller.local;
  return caller.operation + 1;
}

}  // namespace

void add_calls(Table& table) {
  table.add("call", "", &call, {});
  table.add("call.address", "", &call_address, {});
  table.add("return", "", &return_from_call, {});
}

}  // namespace weft::emulator
