#pragma once

/// @file
/// A warp while it runs.
///
/// Its lanes execute in lock-step under a mask. Where a branch divides them, they become fragments, of which
/// one runs at a time; fragments meet again at the branch's join, the first operation that all of its ways
/// lead to. A fragment that jumps back again and again lets the others run after a while.
///
/// Whoever waits at a join waits until nothing else in the whole launch can get on: all that runs only reads,
/// over and over, what does not change. Then those at the joins are what it waits for: one of them holds the
/// lock. So the join opens, and stays open, because the next holder would wait there, too.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "emulator/count/access.hpp"
#include "emulator/execute/frames.hpp"
#include "emulator/execute/taint.hpp"
#include "emulator/operation/operation.hpp"

namespace weft::emulator {

struct Block;
struct Routine;
class SharedHistory;

inline constexpr int lanes = 32;
inline constexpr std::uint32_t all_lanes = ~0U;

/// One bit per lane, as constants that vector code can load.
template <class Word>
inline constexpr auto lane_bits = [] {
  struct {
    Word of[lanes];
  } bits{};
  for (int lane = 0; lane < lanes; ++lane) bits.of[lane] = Word{1} << lane;
  return bits;
}();

/// What a slot keeps of a lane's T: its bits, in 4 bytes at least.
template <class T>
using SlotBits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

struct Call;

/// Where a fragment is in its program, but for the operation.
struct Context {
  std::byte* frame = nullptr;  ///< the registers of the routine that runs
  const Routine* routine = nullptr;
  std::uint32_t local = 0;  ///< the routine's local memory, an offset in the thread's
  std::vector<Call> calls;  ///< those that have not returned
};

struct Call {
  const Operation* operation;  ///< that called
  std::byte* frame;            ///< the caller's
  const Routine* routine;
  std::uint32_t local;
};

/// Lanes of a warp that are at the same place.
struct Fragment {
  enum class State : std::uint8_t { runnable, at_barrier, at_warp_barrier, at_cluster_barrier };

  const Operation* at = nullptr;
  std::uint32_t active = 0;
  int join = -1;  ///< where it meets others: an index into Warp::joins, or -1
  State state = State::runnable;
  std::uint32_t awaited = 0;  ///< of a warp barrier: lanes; of a barrier: its number
  Context context;
};

/// A place where the fragments of a branch meet.
struct Join {
  const Operation* at = nullptr;
  std::uint32_t expected = 0;  ///< lanes that went separate ways and have not exited
  std::uint32_t arrived = 0;
  int parent = -1;
  bool used = false;
  bool open = false;  ///< nobody waits here
  Context context;
};

struct alignas(64) Warp {
  /// ~0 for active lanes, 0 for others: what `active` says, as vector code wants it.
  std::array<std::uint32_t, lanes> lane_mask{};

  Context context;
  std::uint32_t active = 0;     ///< the lanes that run
  int join = -1;                ///< of the running fragment
  Access* accesses = nullptr;   ///< one per site of the kernel and what it calls
  std::byte* shared = nullptr;  ///< the block's shared memory
  std::uint64_t shared_bytes = 0;
  SharedHistory* history = nullptr;  ///< of that memory, if it is checked
  Taint taint;                       ///< of its registers
  int budget = 0;                    ///< backward branches until others get their turn
  bool looks_for_others = false;     ///< it has read what others change, since its turn began

  Block* block = nullptr;
  int index = 0;                        ///< in its block
  std::uint32_t odd_cluster_phase = 0;  ///< lanes that arrived at the cluster's barrier before an odd opening
  std::uint32_t live = 0;               ///< lanes that exist and have not exited
  std::uint32_t saved_active = 0;       ///< the lanes that a guard left out for one operation
  std::vector<Fragment> fragments;      ///< those that do not run, the one to run next last
  std::vector<Join> joins;
  Frames frames;

  /// The lanes' values of a slot.
  template <class T>
  [[nodiscard]] T* values(std::uint32_t slot) const {
    return reinterpret_cast<T*>(context.frame + slot);
  }

  /// Whether a place in the host's memory lies in the block's shared memory.
  [[nodiscard]] bool in_shared_memory(const std::byte* place) const {
    return place >= shared && place < shared + shared_bytes;
  }

  [[nodiscard]] std::uint32_t& predicate(std::uint32_t slot) const {
    return *reinterpret_cast<std::uint32_t*>(context.frame + slot);
  }

  /// Sets the active lanes' bits of a predicate.
  void set_predicate(std::uint32_t slot, std::uint32_t bits) const {
    std::uint32_t& result = predicate(slot);
    result = (bits & active) | (result & ~active);
  }

  /// Sets the active lanes' values of a slot, all to the same one.
  void broadcast(std::uint32_t slot, std::uint32_t value) const {
    auto* const result = values<std::uint32_t>(slot);
    for (int lane = 0; lane < lanes; ++lane) result[lane] = lane_mask[lane] != 0 ? value : result[lane];
  }

  void set_active(std::uint32_t mask) {
    if (mask == active) return;
    active = mask;
    for (int lane = 0; lane < lanes; ++lane) {
      lane_mask[lane] = (mask & lane_bits<std::uint32_t>.of[lane]) != 0 ? ~0U : 0;
    }
  }
};

/// Calls `visit(lane)` for each lane of a mask, from the lowest on.
void each_lane(std::uint32_t mask, auto visit) {
  for (; mask != 0; mask &= mask - 1) visit(std::countr_zero(mask));
}

/// Sends some of a warp's active lanes to the operation's target and the others to the next operation.
/// @param taken neither no active lane nor all of them
const Operation* diverge(Warp& warp, const Operation& operation, std::uint32_t taken);

/// Lets some of a warp's active lanes execute the operation later; they meet the others at its join.
void set_aside(Warp& warp, const Operation& operation, std::uint32_t later);

/// At the place where the fragments of a branch meet: goes on once all are here.
const Operation* meet(Warp& warp, const Operation& operation);

/// Ends some lanes.
const Operation* exit_lanes(Warp& warp, const Operation* next, std::uint32_t exiting);

/// Parks the running fragment in a state, to go on at an operation, and takes up another.
/// @return where that one goes on, or nullptr if none can run
const Operation* park(Warp& warp, const Operation* at, Fragment::State state, std::uint32_t awaited);

/// Parks the running lanes at a warp barrier, which they will try again, and takes up none.
void set_waiting(Warp& warp, const Operation* at, std::uint32_t members);

/// What an instruction costs of the budget that may be waiting for another thread.
inline constexpr int cost_of_looking = 512;

/// An instruction has read what other threads change: whoever does so again and again waits for one of them.
void look_for_others(Warp& warp);

/// Lets the warp's other fragments, and then other warps, run before this one goes on.
const Operation* yield(Warp& warp, const Operation* at);

/// Lets lanes go that wait at a join for lanes that cannot come: those that spin, or, if `parked`, those that
/// wait for lanes of their own warp. Of joins within each other the innermost opens.
/// @return whether there were any
bool open_joins(Warp& warp, bool parked);

/// Takes up a fragment that can run.
/// @return where it goes on, or nullptr if none can run
const Operation* take_up_next(Warp& warp);

/// Whether a fragment could run.
bool runnable(const Warp& warp);

}  // namespace weft::emulator
