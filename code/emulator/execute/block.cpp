#include "emulator/execute/block.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

#include "emulator/execute/fault.hpp"

namespace weft::emulator {
namespace {

Block::Memory allocate(std::uint64_t bytes) {
  constexpr std::uint64_t alignment = 4096;
  const std::uint64_t rounded = (std::max<std::uint64_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  auto* const memory = static_cast<std::byte*>(std::aligned_alloc(alignment, rounded));
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, rounded);
  return Block::Memory(memory);
}

/// Zeroes that take no room until they are written to: most of a deep stack never is.
Block::Memory allocate_untouched(std::uint64_t bytes) {
  auto* const memory = static_cast<std::byte*>(std::calloc(bytes, 1));
  if (memory == nullptr) throw std::bad_alloc();
  return Block::Memory(memory);
}

/// Shared memory that CUDA's own code uses, from compute capability 8.0 on.
constexpr std::uint64_t reserved_shared_bytes = 1024;

/// It follows what the program asked for; on a GPU it comes first.
std::uint64_t reserved_shared(const Block& block) { return (block.shared_bytes + 127) / 128 * 128; }

// clang-format off
/// The value of a special register that all lanes share.
std::uint64_t shared_value(const Block& block, const Warp& warp, Special special) {
  const Grid& grid = *block.grid;
  const auto in_cluster = [](std::uint32_t block_index, std::uint32_t extent) { return block_index % extent; };
  switch (special) {
    case Special::ntid_x: return grid.threads.x;
    case Special::ntid_y: return grid.threads.y;
    case Special::ntid_z: return grid.threads.z;
    case Special::ctaid_x: return block.index.x;
    case Special::ctaid_y: return block.index.y;
    case Special::ctaid_z: return block.index.z;
    case Special::nctaid_x: return grid.blocks.x;
    case Special::nctaid_y: return grid.blocks.y;
    case Special::nctaid_z: return grid.blocks.z;
    case Special::warpid: return static_cast<std::uint64_t>(warp.index);
    case Special::nwarpid: return block.warps.size();
    case Special::smid: return 0;
    case Special::nsmid: return 1;
    case Special::gridid: return grid.number;
    case Special::reserved_shared_0: return reserved_shared(block);
    case Special::reserved_shared_1: return reserved_shared(block) + reserved_shared_bytes / 2;
    case Special::reserved_shared_end: return reserved_shared(block) + reserved_shared_bytes;
    case Special::workspace_high: return grid.workspace >> 32;
    case Special::workspace_low: return grid.workspace & 0xffffffffU;
    case Special::dynamic_shared: return grid.dynamic_shared;
    case Special::total_shared: return block.shared_bytes;
    case Special::clusterid_x: return block.index.x / grid.cluster.x;
    case Special::clusterid_y: return block.index.y / grid.cluster.y;
    case Special::clusterid_z: return block.index.z / grid.cluster.z;
    case Special::nclusterid_x: return grid.blocks.x / grid.cluster.x;
    case Special::nclusterid_y: return grid.blocks.y / grid.cluster.y;
    case Special::nclusterid_z: return grid.blocks.z / grid.cluster.z;
    case Special::cluster_ctaid_x: return in_cluster(block.index.x, grid.cluster.x);
    case Special::cluster_ctaid_y: return in_cluster(block.index.y, grid.cluster.y);
    case Special::cluster_ctaid_z: return in_cluster(block.index.z, grid.cluster.z);
    case Special::cluster_nctaid_x: return grid.cluster.x;
    case Special::cluster_nctaid_y: return grid.cluster.y;
    case Special::cluster_nctaid_z: return grid.cluster.z;
    case Special::cluster_ctarank:
      return in_cluster(block.index.x, grid.cluster.x) +
             grid.cluster.x * (in_cluster(block.index.y, grid.cluster.y) +
                               std::uint64_t{grid.cluster.y} * in_cluster(block.index.z, grid.cluster.z));
    case Special::cluster_nctarank: return grid.cluster.count();
    default: return 0;
  }
}

/// The value of a special register in one lane.
std::uint64_t value(const Block& block, const Warp& warp, Special special, std::uint32_t lane) {
  const Extents& extents = block.grid->threads;
  const std::uint32_t thread = static_cast<std::uint32_t>(warp.index) * lanes + lane;
  const std::uint32_t bit = 1U << lane;
  switch (special) {
    case Special::tid_x: return thread % extents.x;
    case Special::tid_y: return thread / extents.x % extents.y;
    case Special::tid_z: return thread / extents.x / extents.y;
    case Special::laneid: return lane;
    case Special::lanemask_eq: return bit;
    case Special::lanemask_lt: return bit - 1;
    case Special::lanemask_le: return bit | (bit - 1);
    case Special::lanemask_gt: return ~(bit | (bit - 1));
    case Special::lanemask_ge: return ~(bit - 1);
    default: return shared_value(block, warp, special);
  }
}

// clang-format on

void fill(std::byte* frame, std::uint32_t slot, int bytes, std::uint64_t bits) {
  if (bytes == 8) {
    std::fill_n(reinterpret_cast<std::uint64_t*>(frame + slot), lanes, bits);
  } else {
    std::fill_n(reinterpret_cast<std::uint32_t*>(frame + slot), lanes, static_cast<std::uint32_t>(bits));
  }
}

void fill_special(const Block& block, const Warp& warp, const SpecialSlot& slot, std::byte* frame) {
  auto* const values = reinterpret_cast<std::uint32_t*>(frame + slot.slot);
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    values[lane] = static_cast<std::uint32_t>(value(block, warp, slot.special, lane));
  }
}

std::uint64_t parameter_bits(std::span<const std::byte> parameters, const ParameterSlot& slot) {
  std::uint64_t bits = 0;
  const auto bytes = static_cast<std::size_t>(ptx::bytes_of(slot.type));
  if (slot.offset + bytes <= parameters.size()) std::memcpy(&bits, parameters.data() + slot.offset, bytes);
  const int unused = 64 - static_cast<int>(bytes) * 8;
  if (slot.type == ptx::Type::s8 || slot.type == ptx::Type::s16) {
    bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused);
  }
  return bits;
}

}  // namespace

void Block::Free::operator()(std::byte* memory) const { std::free(memory); }

Block::Block(const Grid& launched, Access* accesses, std::vector<const Operation*>& joins)
    : grid(&launched), open_joins(&joins) {
  const auto threads = static_cast<std::uint32_t>(grid->threads.count());
  const std::uint32_t warp_count = (threads + lanes - 1) / lanes;
  const Routine& kernel = *grid->kernel;
  shared_bytes = kernel.shared_bytes + std::uint64_t{grid->dynamic_shared};
  registers = allocate(std::uint64_t{warp_count} * kernel.frame_bytes);
  const std::uint64_t all_shared =
      kernel.reserves_shared ? reserved_shared(*this) + reserved_shared_bytes : shared_bytes;
  shared = allocate(all_shared);
  if (grid->checked && all_shared != 0 && grid->cluster.count() == 1)  // other blocks are not followed
    history = std::make_unique<SharedHistory>(all_shared, grid->piece_bytes, warp_count);
  local_bytes = kernel.local_bytes + std::uint64_t{kernel.stack_bytes};
  if (local_bytes != 0) local = allocate_untouched(threads * local_bytes);
  warps.resize(warp_count);
  for (std::uint32_t i = 0; i < warp_count; ++i) {
    Warp& warp = warps[i];
    warp.block = this;
    warp.index = static_cast<int>(i);
    warp.accesses = accesses;
    warp.shared = shared.get();
    warp.shared_bytes = all_shared;
    warp.history = history.get();
    warp.context = {registers.get() + std::uint64_t{i} * kernel.frame_bytes, &kernel, 0, {}};
    fill_frame(*this, warp, kernel, warp.context.frame);
    warp.set_active(all_lanes);
    for (const Operation& operation : kernel.preparation) operation.run(warp, operation);
    warp.set_active(0);
  }
}

void fill_frame(const Block& block, const Warp& warp, const Routine& routine, std::byte* frame) {
  for (const Constant& constant : routine.constants)
    fill(frame, constant.slot, constant.bytes, constant.bits);
  for (const ParameterSlot& slot : routine.parameters) {
    fill(frame, slot.slot, slot.slot_bytes, parameter_bits(block.grid->parameters, slot));
  }
  for (const SpecialSlot& slot : routine.specials) fill_special(block, warp, slot, frame);
}

void Block::start(std::uint64_t linear) {
  number = linear;
  alone = {{this}, 0, 0};
  cluster = &alone;
  index.x = static_cast<std::uint32_t>(linear % grid->blocks.x);
  index.y = static_cast<std::uint32_t>(linear / grid->blocks.x % grid->blocks.y);
  index.z = static_cast<std::uint32_t>(linear / grid->blocks.x / grid->blocks.y);
  const auto threads = static_cast<std::uint32_t>(grid->threads.count());
  live_threads = threads;
  barriers = {};
  waited_barriers = 0;
  progress = 0;
  clock = 0;
  if (history) history->start(reserved_shared(*this), warps.front().shared_bytes);
  const Routine& kernel = *grid->kernel;
  for (Warp& warp : warps) {
    const std::uint32_t first = static_cast<std::uint32_t>(warp.index) * lanes;
    warp.live = threads - first >= lanes ? all_lanes : (1U << (threads - first)) - 1;
    warp.join = -1;
    warp.budget = backward_branches_per_turn;
    warp.looks_for_others = false;
    warp.taint.clear();
    warp.odd_cluster_phase = 0;
    warp.joins.clear();
    warp.fragments.clear();
    warp.context.frame = registers.get() + static_cast<std::uint64_t>(warp.index) * kernel.frame_bytes;
    warp.context.routine = &kernel;
    warp.context.local = 0;
    warp.context.calls.clear();
    warp.frames.restart();
    warp.fragments.push_back({kernel.code.data(), warp.live, -1, Fragment::State::runnable, 0, warp.context});
  }
  for (const SpecialSlot& slot : kernel.specials) {
    if (!changes_with_block(slot.special)) continue;
    const std::uint64_t bits = shared_value(*this, warps.front(), slot.special);
    for (const Warp& warp : warps) fill(warp.context.frame, slot.slot, 4, bits);
  }
}

/// Runs an operation, and counts the instructions that it stands for, once for each lane that executes it.
const Operation* Block::run_counted(Warp& warp, const Operation& operation) {
  const Routine& routine = *warp.context.routine;
  const auto active = static_cast<std::uint64_t>(std::popcount(warp.active));
  thread_instructions +=
      active * routine.stands_for[static_cast<std::size_t>(&operation - routine.code.data())];
  return operation.run(warp, operation);
}

Block::Outcome Block::run(int rounds) {
  while (live_threads > 0) {
    bool ran = false;
    const std::uint64_t before = progress;
    for (Warp& warp : warps) {
      if (!runnable(warp)) continue;
      ran = true;
      const Operation* operation = take_up_next(warp);
      if (warp.taint.any()) operation = warp.taint.follow(warp, operation);
      if (grid->count_instructions) {
        while (operation != nullptr) operation = run_counted(warp, *operation);
      } else {
        while (operation != nullptr) operation = operation->run(warp, *operation);
      }
    }
    if (!ran) {
      if (cluster->runs()) return Outcome::waiting;
      if (!open_all_joins(true)) throw deadlock(*this);
    }
    if (progress == before && --rounds == 0) return Outcome::waiting;
  }
  return Outcome::finished;
}

bool Block::open_all_joins(bool parked) {
  bool opened = false;
  for (Warp& warp : warps) opened = emulator::open_joins(warp, parked) || opened;
  return opened;
}

void Block::arrive(const Warp& warp, std::uint32_t barrier, std::uint32_t threads, std::uint32_t expected,
                   std::uint32_t votes) {
  if (history) history->arrived(barrier, static_cast<std::uint32_t>(warp.index));
  Barrier& at = barriers[barrier];
  at.arrived += threads;
  at.votes += votes;
  at.expected = expected;
  waited_barriers |= 1U << barrier;
  if (at.arrived >= (expected != 0 ? expected : live_threads)) open(barrier);
}

void Block::open(std::uint32_t barrier) {
  Barrier& at = barriers[barrier];
  const bool all = at.arrived >= live_threads;
  std::uint32_t waiting = 0;
  at.result = at.votes;
  at.voters = at.arrived;
  at.arrived = 0;
  at.votes = 0;
  waited_barriers &= ~(1U << barrier);
  ++progress;
  for (Warp& warp : warps) {
    for (Fragment& fragment : warp.fragments) {
      if (fragment.state == Fragment::State::at_barrier && fragment.awaited == barrier) {
        fragment.state = Fragment::State::runnable;
        waiting |= 1U << warp.index;
      }
    }
  }
  if (history) history->opened(barrier, waiting, all);
}

void Block::lanes_exited(std::uint32_t mask) {
  live_threads -= static_cast<std::uint32_t>(std::popcount(mask));
  ++progress;
  for (std::uint32_t rest = waited_barriers; rest != 0; rest &= rest - 1) {
    const auto number_of_barrier = static_cast<std::uint32_t>(std::countr_zero(rest));
    const Barrier& barrier = barriers[number_of_barrier];
    if (barrier.expected == 0 && barrier.arrived >= live_threads) open(number_of_barrier);
  }
  if (cluster->arrived > 0) cluster->arrive(0);
}

}  // namespace weft::emulator
