#include "emulator/execute/warp.hpp"

#include <algorithm>
#include <utility>

#include "emulator/execute/block.hpp"
#include "emulator/memory/shared_history.hpp"

namespace weft::emulator {
namespace {

Fragment running_fragment(const Warp& warp, const Operation* at) {
  Fragment fragment;
  fragment.at = at;
  fragment.active = warp.active;
  fragment.join = warp.join;
  fragment.context = warp.context;
  return fragment;
}

int make_join(Warp& warp, const Operation* at) {
  const auto unused = std::ranges::find(warp.joins, false, &Join::used);
  const auto index = static_cast<int>(unused - warp.joins.begin());
  if (unused == warp.joins.end()) warp.joins.emplace_back();
  warp.joins[index] = {at, warp.active, 0, warp.join, true, false, warp.context};
  return index;
}

/// A join that all of its lanes have reached goes on as a fragment; one that all of them left is gone.
void settle(Warp& warp, Join& join) {
  if (!join.used || join.arrived != join.expected) return;
  join.used = false;
  if (join.arrived == 0) return;
  Fragment fragment;
  fragment.at = join.at;
  fragment.active = join.arrived;
  fragment.join = join.parent;
  fragment.context = std::move(join.context);
  warp.fragments.push_back(std::move(fragment));
}

/// A recursive routine has the same join in each of its calls: the frame tells them apart.
bool meets_at(const Warp& warp, const Operation* at) {
  if (warp.join < 0) return false;
  const Join& join = warp.joins[warp.join];
  return join.at == at && join.context.frame == warp.context.frame;
}

bool is_open(const Warp& warp, const Operation* join) {
  const auto& open = *warp.block->open_joins;
  return !open.empty() && std::ranges::find(open, join) != open.end();
}

/// Makes the running lanes meet at a branch's join, if it has one that is not open.
/// @return where that is, or nullptr
const Operation* find_join(Warp& warp, const Operation& operation) {
  if (operation.join == 0) return nullptr;
  const Operation* const at = &operation + operation.join;
  if (is_open(warp, at)) return nullptr;
  if (!meets_at(warp, at)) warp.join = make_join(warp, at);
  return at;
}

/// Lets the lanes at a join go on, and whoever comes there later.
void open_join(Warp& warp, Join& join) {
  Fragment fragment;
  fragment.at = join.at;
  fragment.active = join.arrived;
  fragment.join = join.parent;
  fragment.context = join.context;
  join.expected &= ~join.arrived;
  join.arrived = 0;
  join.open = true;
  if (!is_open(warp, join.at)) warp.block->open_joins->push_back(join.at);
  warp.fragments.push_back(std::move(fragment));
}

}  // namespace

void set_aside(Warp& warp, const Operation& operation, std::uint32_t later) {
  find_join(warp, operation);
  Fragment fragment = running_fragment(warp, &operation);
  fragment.active = later;
  warp.fragments.push_back(std::move(fragment));
  warp.set_active(warp.active & ~later);
}

// [diverge]
const Operation* diverge(Warp& warp, const Operation& operation, std::uint32_t taken) {
  if (operation.site != 0) ++warp.accesses[operation.site - 1].requests;
  const Operation* const join_at = find_join(warp, operation);
  const std::uint32_t staying = warp.active & ~taken;
  if (join_at != nullptr && operation.target == join_at) {
    warp.joins[warp.join].arrived |= taken;
  } else {
    Fragment fragment = running_fragment(warp, operation.target);
    fragment.active = taken;
    warp.fragments.push_back(std::move(fragment));
  }
  warp.set_active(staying);
  return &operation + 1;
}
// [diverge]

// [meet]
const Operation* meet(Warp& warp, const Operation& operation) {
  while (meets_at(warp, &operation)) {
    Join& join = warp.joins[warp.join];
    if (join.open) {
      join.expected &= ~warp.active;
      join.used = join.expected != 0;
    } else {
      join.arrived |= warp.active;
      if (join.arrived != join.expected) return take_up_next(warp);
      join.used = false;
      warp.set_active(join.arrived);
    }
    warp.join = join.parent;
  }
  return &operation + 1;
}
// [meet]

const Operation* exit_lanes(Warp& warp, const Operation* next, std::uint32_t exiting) {
  warp.live &= ~exiting;
  const std::uint32_t staying = warp.active & ~exiting;
  for (Join& join : warp.joins) {
    join.expected &= ~exiting;
    settle(warp, join);
  }
  for (Fragment& fragment : warp.fragments) {  // what they wait for may have exited: they look again
    if (fragment.state == Fragment::State::at_warp_barrier) fragment.state = Fragment::State::runnable;
  }
  if (!warp.context.calls.empty()) {
    warp.frames.leave(warp.context.frame, exiting);
    for (const Call& call : warp.context.calls) warp.frames.leave(call.frame, exiting);
  }
  warp.block->lanes_exited(exiting);
  warp.set_active(staying);
  return staying != 0 ? next : take_up_next(warp);
}

void set_waiting(Warp& warp, const Operation* at, std::uint32_t members) {
  Fragment fragment = running_fragment(warp, at);
  fragment.state = Fragment::State::at_warp_barrier;
  fragment.awaited = members;
  warp.fragments.push_back(std::move(fragment));
}

const Operation* park(Warp& warp, const Operation* at, Fragment::State state, std::uint32_t awaited) {
  Fragment fragment = running_fragment(warp, at);
  fragment.state = state;
  fragment.awaited = awaited;
  warp.fragments.push_back(std::move(fragment));
  warp.set_active(0);
  return take_up_next(warp);
}

void look_for_others(Warp& warp) {
  warp.budget -= cost_of_looking;
  warp.looks_for_others = true;
  if (warp.history != nullptr) warp.history->learned(static_cast<std::uint32_t>(warp.index));
}

const Operation* yield(Warp& warp, const Operation* at) {
  warp.budget = backward_branches_per_turn;
  if (!std::exchange(warp.looks_for_others, false)) ++warp.block->progress;
  warp.fragments.insert(warp.fragments.begin(), running_fragment(warp, at));
  warp.set_active(0);
  return nullptr;
}

bool open_joins(Warp& warp, bool parked) {
  bool opened = false;
  for (std::size_t i = 0; i < warp.fragments.size(); ++i) {  // it grows meanwhile
    const auto waits_for = parked ? Fragment::State::at_warp_barrier : Fragment::State::runnable;
    if (warp.fragments[i].state != waits_for) continue;
    for (int index = warp.fragments[i].join; index >= 0; index = warp.joins[index].parent) {
      if (warp.joins[index].arrived == 0) continue;
      open_join(warp, warp.joins[index]);
      opened = true;
      break;
    }
  }
  return opened;
}

const Operation* take_up_next(Warp& warp) {
  const auto next = std::ranges::find(warp.fragments.rbegin(), warp.fragments.rend(),
                                      Fragment::State::runnable, &Fragment::state);
  if (next == warp.fragments.rend()) {
    warp.set_active(0);
    return nullptr;
  }
  Fragment fragment = std::move(*next);
  warp.fragments.erase(std::next(next).base());
  warp.join = fragment.join;
  warp.context = std::move(fragment.context);
  warp.set_active(fragment.active);
  return fragment.at;
}

bool runnable(const Warp& warp) {
  return std::ranges::find(warp.fragments, Fragment::State::runnable, &Fragment::state) !=
         warp.fragments.end();
}

}  // namespace weft::emulator
