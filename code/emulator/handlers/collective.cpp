/// @file
/// What the lanes of a warp do together: shuffles, votes, matches, reductions, and the warp's own barrier.

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

#include "emulator/execute/block.hpp"
#include "emulator/execute/fault.hpp"
#include "emulator/execute/warp.hpp"
#include "emulator/handlers/handlers.hpp"

namespace weft::emulator {
namespace {

/// Whether a fragment waits for the lanes of a mask at an operation, or, for the warp's barrier, at any.
bool waits_here(const Fragment& fragment, const Operation& operation, std::uint32_t members, bool anywhere) {
  if (fragment.state != Fragment::State::at_warp_barrier || fragment.awaited != members) return false;
  return fragment.at == &operation || (anywhere && fragment.at->run == operation.run);
}

/// Lets `body(members)` run for the active lanes, which name the same mask, once all of its lanes are here:
/// those of other fragments, which wait for them, too.
/// @return whether they were
template <bool anywhere>
bool meet_members(Warp& warp, const Operation& operation, std::uint32_t members, auto body) {
  const std::uint32_t own = warp.active;
  std::uint32_t here = own;
  for (const Fragment& fragment : warp.fragments) {
    if (waits_here(fragment, operation, members, anywhere)) here |= fragment.active;
  }
  if ((members & warp.live & ~here) != 0) return false;
  if (warp.history != nullptr) warp.history->warp_met(static_cast<std::uint32_t>(warp.index));
  if (here == own) {
    body(members);
    return true;
  }
  warp.set_active(here);
  body(members);
  for (Fragment& fragment : warp.fragments) {
    if (!waits_here(fragment, operation, members, anywhere)) continue;
    fragment.state = Fragment::State::runnable;
    ++fragment.at;
  }
  warp.set_active(own);
  return true;
}

/// Lets `body(members)` run for each mask that active lanes name, once all of its lanes are here. Lanes of
/// different masks have nothing to do with each other.
/// @param anywhere whether another operation of the same kind serves as well
/// @return where to go on
template <bool anywhere = false>
const Operation* together(Warp& warp, const Operation& operation, std::uint32_t mask_slot, auto body) {
  const auto* const masks = warp.values<std::uint32_t>(mask_slot);
  std::uint32_t gone_on = 0;
  for (std::uint32_t rest = warp.active; rest != 0;) {
    const std::uint32_t members = masks[std::countr_zero(rest)];
    std::uint32_t group = 0;
    for (int lane = 0; lane < lanes; ++lane)
      group |= static_cast<std::uint32_t>(masks[lane] == members) << lane;
    group &= rest;
    if (group != warp.active) warp.set_active(group);
    if (meet_members<anywhere>(warp, operation, members, body)) {
      gone_on |= group;
    } else {
      set_waiting(warp, &operation, members);
    }
    rest &= ~group;
  }
  if (gone_on == 0) return take_up_next(warp);
  if (gone_on != warp.active) warp.set_active(gone_on);
  return &operation + 1;
}

enum class Shuffle : std::uint8_t { up, down, butterfly, index };

/// The lane that a lane reads from, and whether it lies in its segment. Rules as PTX's reference gives them.
template <Shuffle mode>
std::pair<int, bool> source_lane(int lane, std::uint32_t b, std::uint32_t c) {
  const int offset = static_cast<int>(b & 31);
  const int clamp = static_cast<int>(c & 31);
  const int segment = static_cast<int>(c >> 8 & 31);
  const int last = (lane & segment) | (clamp & ~segment);
  const int first = lane & segment;
  int from = 0;
  bool inside = false;
  if constexpr (mode == Shuffle::up) {
    from = lane - offset;
    inside = from >= last;
  } else if constexpr (mode == Shuffle::down) {
    from = lane + offset;
    inside = from <= last;
  } else if constexpr (mode == Shuffle::butterfly) {
    from = lane ^ offset;
    inside = from <= last;
  } else {
    from = first | (offset & ~segment);
    inside = from <= last;
  }
  return {inside ? from : lane, inside};
}

/// Slots: the result, whether it came from inside of the segment, and PTX's operands a, b, c, mask.
template <Shuffle mode>
const Operation* shuffle(Warp& warp, const Operation& operation) {
  return together(warp, operation, operation.slots[5], [&](std::uint32_t /*members*/) {
    std::array<std::uint32_t, lanes> a{};
    std::copy_n(warp.values<std::uint32_t>(operation.slots[2]), lanes,
                a.begin());  // the result may lie there, too
    std::array<std::uint32_t, lanes> b{};
    std::copy_n(warp.values<std::uint32_t>(operation.slots[3]), lanes, b.begin());
    std::array<std::uint32_t, lanes> c{};
    std::copy_n(warp.values<std::uint32_t>(operation.slots[4]), lanes, c.begin());
    auto* const result = warp.values<std::uint32_t>(operation.slots[0]);
    std::uint32_t insides = 0;
    for (int lane = 0; lane < lanes; ++lane) {
      const auto index = static_cast<std::size_t>(lane);
      const auto [from, inside] = source_lane<mode>(lane, b[index], c[index]);
      insides |= static_cast<std::uint32_t>(inside) << lane;
      if (warp.lane_mask[index] != 0) result[lane] = a[static_cast<std::size_t>(from)];
    }
    warp.set_predicate(operation.slots[1], insides);
  });
}

enum class WarpVote : std::uint8_t { all, any, uniform, ballot };

/// Slots: the result, the predicate, the mask.
template <WarpVote mode>
const Operation* vote(Warp& warp, const Operation& operation) {
  return together(warp, operation, operation.slots[2], [&](std::uint32_t members) {
    const std::uint32_t voting = warp.active & members;
    const std::uint32_t votes = warp.predicate(operation.slots[1]) & voting;
    if constexpr (mode == WarpVote::ballot) {
      warp.broadcast(operation.slots[0], votes);
    } else {
      const bool truth = mode == WarpVote::all   ? votes == voting
                         : mode == WarpVote::any ? votes != 0
                                                 : votes == 0 || votes == voting;
      warp.set_predicate(operation.slots[0], truth ? all_lanes : 0);
    }
  });
}

const Operation* active_mask(Warp& warp, const Operation& operation) {
  warp.broadcast(operation.slots[0], warp.active);
  return &operation + 1;
}

/// Slots: the result, whether all lanes have the same value, the value, the mask.
template <class T, bool all>
const Operation* match(Warp& warp, const Operation& operation) {
  return together(warp, operation, operation.slots[3], [&](std::uint32_t members) {
    std::array<T, lanes> values{};
    std::copy_n(warp.values<T>(operation.slots[2]), lanes, values.begin());
    auto* const result = warp.values<std::uint32_t>(operation.slots[0]);
    const std::uint32_t matching = warp.active & members;
    bool equal = true;
    each_lane(warp.active, [&](std::size_t lane) {
      std::uint32_t same = 0;
      for (std::size_t other = 0; other < lanes; ++other) {
        if ((matching >> other & 1U) != 0 && values[other] == values[lane]) same |= 1U << other;
      }
      equal = equal && same == matching;
      result[lane] = same;
    });
    if constexpr (all) {
      warp.broadcast(operation.slots[0], equal ? matching : 0);
      warp.set_predicate(operation.slots[1], equal ? all_lanes : 0);
    }
  });
}

/// Slots: the result, the value, the mask.
template <class T, class Function>
const Operation* reduce(Warp& warp, const Operation& operation) {
  return together(warp, operation, operation.slots[2], [&](std::uint32_t members) {
    const auto* const values = warp.values<std::uint32_t>(operation.slots[1]);
    const std::uint32_t rest = warp.active & members;
    auto total = static_cast<T>(values[std::countr_zero(rest)]);
    each_lane(rest & (rest - 1), [&](int lane) { total = Function{}(total, static_cast<T>(values[lane])); });
    warp.broadcast(operation.slots[0], static_cast<std::uint32_t>(total));
  });
}

/// Slots: the elected lane, whether a lane is the one, the mask.
const Operation* elect(Warp& warp, const Operation& operation) {
  return together(warp, operation, operation.slots[2], [&](std::uint32_t members) {
    const auto leader = static_cast<std::uint32_t>(std::countr_zero(warp.active & members));
    warp.broadcast(operation.slots[0], leader);
    warp.set_predicate(operation.slots[1], 1U << leader);
  });
}

const Operation* warp_barrier(Warp& warp, const Operation& operation) {
  return together<true>(warp, operation, operation.slots[0], [](std::uint32_t /*members*/) {});
}

template <class T>
void add_reductions(Table& table, const char* suffix, ptx::Type type) {
  const auto add = [&]<class Function>(const char* name, Function) {
    table.add(name, suffix, &reduce<T, Function>, {type, type, ptx::Type::b32});
  };
  add("redux.sync.add",
      [](T a, T b) { return static_cast<T>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b)); });
  add("redux.sync.min", [](T a, T b) { return std::min(a, b); });
  add("redux.sync.max", [](T a, T b) { return std::max(a, b); });
  add("redux.sync.and", [](T a, T b) { return a & b; });
  add("redux.sync.or", [](T a, T b) { return a | b; });
  add("redux.sync.xor", [](T a, T b) { return a ^ b; });
}

}  // namespace

void add_collective(Table& table) {
  using ptx::Type;
  table.add("shfl.sync.up", ".b32", &shuffle<Shuffle::up>, {});
  table.add("shfl.sync.down", ".b32", &shuffle<Shuffle::down>, {});
  table.add("shfl.sync.bfly", ".b32", &shuffle<Shuffle::butterfly>, {});
  table.add("shfl.sync.idx", ".b32", &shuffle<Shuffle::index>, {});
  table.add("vote.sync.all", ".pred", &vote<WarpVote::all>, {});
  table.add("vote.sync.any", ".pred", &vote<WarpVote::any>, {});
  table.add("vote.sync.uni", ".pred", &vote<WarpVote::uniform>, {});
  table.add("vote.sync.ballot", ".b32", &vote<WarpVote::ballot>, {});
  table.add("activemask", ".b32", &active_mask, {Type::b32});
  table.add("match.any.sync", ".b32", &match<std::uint32_t, false>, {Type::b32});
  table.add("match.any.sync", ".b64", &match<std::uint64_t, false>, {Type::b64});
  table.add("match.all.sync", ".b32", &match<std::uint32_t, true>, {Type::b32});
  table.add("match.all.sync", ".b64", &match<std::uint64_t, true>, {Type::b64});
  table.add("elect.sync", "", &elect, {});
  table.add("bar.warp.sync", "", &warp_barrier, {});
  add_reductions<std::uint32_t>(table, ".u32", Type::u32);
  add_reductions<std::uint32_t>(table, ".b32", Type::b32);
  add_reductions<std::int32_t>(table, ".s32", Type::s32);
}

}  // namespace weft::emulator
