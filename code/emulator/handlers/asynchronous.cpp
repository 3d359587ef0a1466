/// @file
/// Copies that the GPU makes on its own, and barriers in shared memory that count arrivals and bytes. Here a
/// copy is made at once, and the barrier learns of it at once.

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>

#include "emulator/execute/fault.hpp"
#include "emulator/execute/memory.hpp"
#include "emulator/handlers/handlers.hpp"
#include "emulator/memory/tensor_map.hpp"

namespace weft::emulator {
namespace {

using ptx::Space;

/// An mbarrier, in the 8 bytes that PTX gives it. The layout is the emulator's own.
struct TransferBarrier {
  std::int32_t bytes = 0;     ///< that are still to come
  std::uint16_t pending = 0;  ///< arrivals that are still to come
  std::uint16_t expected : 15 = 0;
  std::uint16_t phase : 1 = 0;

  void settle() {
    if (pending != 0 || bytes != 0) return;
    pending = expected;
    phase ^= 1U;
  }
};
static_assert(sizeof(TransferBarrier) == 8);

/// The barrier at an address in shared memory, changed by `change`.
/// @return its bits before
std::uint64_t change_barrier(Warp& warp, const Operation& operation, int lane, std::uint32_t address,
                             auto change, Touch touch = Touch::synchronize) {
  std::byte* const place =
      resolve(warp, operation, lane, Space::shared, address, sizeof(TransferBarrier), 8, touch);
  TransferBarrier barrier;
  std::memcpy(&barrier, place, sizeof barrier);
  const auto before = std::bit_cast<std::uint64_t>(barrier);
  change(barrier);
  std::memcpy(place, &barrier, sizeof barrier);
  if (std::bit_cast<std::uint64_t>(barrier) != before) ++warp.block->progress;
  return before;
}

/// Slots: the barrier's address, the arrivals of a phase.
const Operation* initialize(Warp& warp, const Operation& operation) {
  each_lane(warp.active, [&](int lane) {
    const std::uint32_t count = warp.values<std::uint32_t>(operation.slots[1])[lane];
    change_barrier(
        warp, operation, lane, warp.values<std::uint32_t>(operation.slots[0])[lane],
        [&](TransferBarrier& barrier) {
          barrier = {};
          barrier.pending = static_cast<std::uint16_t>(count);
          barrier.expected = static_cast<std::uint16_t>(count & 0x7fff);
        },
        Touch::write);
  });
  return &operation + 1;
}

/// Slots: the state before, the barrier's address, arrivals, bytes that are to come. Immediate: 1 if those
/// who arrive will not do so again.
const Operation* arrive_at_transfer_barrier(Warp& warp, const Operation& operation) {
  each_lane(warp.active, [&](int lane) {
    const auto value = [&](std::size_t slot) {
      return warp.values<std::uint32_t>(operation.slots[slot])[lane];
    };
    warp.values<std::uint64_t>(operation.slots[0])[lane] =
        change_barrier(warp, operation, lane, value(1), [&](TransferBarrier& barrier) {
          barrier.bytes += static_cast<std::int32_t>(value(3));
          barrier.pending = static_cast<std::uint16_t>(barrier.pending - value(2));
          if (operation.immediate != 0)
            barrier.expected = static_cast<std::uint16_t>((barrier.expected - value(2)) & 0x7fff);
          barrier.settle();
        });
  });
  return &operation + 1;
}

/// Slots: the predicate, the barrier's address, and a phase's parity or, if `by_state`, what an arrival
/// returned.
template <bool by_state>
const Operation* test(Warp& warp, const Operation& operation) {
  std::uint32_t passed = 0;
  each_lane(warp.active, [&](int lane) {
    const std::uint32_t waited =
        by_state ? std::bit_cast<TransferBarrier>(warp.values<std::uint64_t>(operation.slots[2])[lane]).phase
                 : warp.values<std::uint32_t>(operation.slots[2])[lane] & 1U;
    change_barrier(warp, operation, lane, warp.values<std::uint32_t>(operation.slots[1])[lane],
                   [&](const TransferBarrier& barrier) {
                     if (barrier.phase != waited) passed |= 1U << lane;
                   });
  });
  warp.set_predicate(operation.slots[0], passed);
  if (passed != 0 && warp.history != nullptr) warp.history->learned(static_cast<std::uint32_t>(warp.index));
  if (passed != warp.active) {  // others shall run before it asks again
    look_for_others(warp);
    warp.budget = 0;
  }
  return &operation + 1;
}

void complete(Warp& warp, const Operation& operation, int lane, std::uint32_t barrier, std::uint64_t bytes) {
  change_barrier(warp, operation, lane, barrier, [&](TransferBarrier& at) {
    at.bytes -= static_cast<std::int32_t>(bytes);
    at.settle();
  });
}

TensorMap tensor_map(Warp& warp, const Operation& operation, int lane, std::uint64_t address) {
  TensorMap map;
  std::memcpy(&map, resolve(warp, operation, lane, Space::generic, address, 128, 64, Touch::read),
              sizeof map);
  if (map.mark != TensorMap::valid)
    throw fault(warp, operation, lane, "uses a tensor map that cuTensorMapEncodeTiled did not write");
  return map;
}

/// Calls `visit(byte of the box, bytes, address of the first, or 0 if they lie outside of the tensor)` for
/// the parts of each row of a box. A row's elements lie side by side.
void each_part_of_rows(const TensorMap& map, std::span<const std::int32_t> start, auto visit) {
  const std::int64_t first = start[0];
  const std::int64_t length = map.box[0];
  const std::int64_t inside_from = std::clamp<std::int64_t>(-first, 0, length);
  const std::int64_t inside_to =
      std::clamp<std::int64_t>(std::int64_t{map.length[0]} - first, inside_from, length);
  std::array<std::uint32_t, TensorMap::most_dimensions> index{};
  for (std::uint64_t row = 0; row < map.box_bytes(); row += std::uint64_t{map.box[0]} * map.element_bytes) {
    std::uint64_t address = map.address;
    bool inside = true;
    for (std::size_t i = 1; i < map.dimensions; ++i) {
      const std::int64_t at = std::int64_t{start[i]} + index[i];
      inside = inside && at >= 0 && at < std::int64_t{map.length[i]};
      address += static_cast<std::uint64_t>(at) * map.pitch[i];
    }
    const auto part = [&](std::int64_t from, std::int64_t to, bool exists) {
      const std::uint64_t bytes = static_cast<std::uint64_t>(to - from) * map.element_bytes;
      const std::uint64_t begin = address + static_cast<std::uint64_t>(first + from) * map.element_bytes;
      if (bytes != 0)
        visit(row + static_cast<std::uint64_t>(from) * map.element_bytes, bytes, exists ? begin : 0);
    };
    part(0, inside_from, false);
    part(inside_from, inside_to, inside);
    part(inside_to, length, false);
    for (std::size_t i = 1; i < map.dimensions && ++index[i] == map.box[i]; ++i) index[i] = 0;
  }
}

/// Calls `visit(bytes already done, bytes, place in shared memory)` for pieces that a swizzle leaves whole.
void each_swizzled_piece(const TensorMap& map, std::uint64_t shared, std::uint64_t bytes, auto visit) {
  const std::uint64_t most = map.swizzle == TensorMap::Swizzle::none ? bytes : 16;
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t piece = std::min(most - (most == 16 ? (shared + done) % 16 : 0), bytes - done);
    visit(done, piece, map.swizzled(shared + done));
    done += piece;
  }
}

/// Most pieces that a swizzle leaves whole are of one size, which the compiler had better know.
void copy_piece_of_box(std::byte* to, const std::byte* from, std::uint64_t bytes) {
  constexpr std::uint64_t most = 16;
  if (bytes == most) {
    std::memcpy(to, from, most);
  } else {
    std::memcpy(to, from, bytes);
  }
}

/// A list of slots: shared address, map, barrier (if it loads), coordinates from the fastest on. Immediate:
/// how many of those.
template <bool loads>
const Operation* copy_box(Warp& warp, const Operation& operation) {
  const std::span<const std::uint32_t> slots(static_cast<const std::uint32_t*>(operation.more),
                                             operation.immediate + (loads ? 3 : 2));
  each_lane(warp.active, [&](int lane) {
    const auto value = [&](std::size_t slot) { return warp.values<std::uint32_t>(slots[slot])[lane]; };
    const TensorMap map = tensor_map(warp, operation, lane, warp.values<std::uint64_t>(slots[1])[lane]);
    if (map.dimensions != operation.immediate)
      throw fault(warp, operation, lane, "uses a tensor map of other dimensions");
    std::array<std::int32_t, TensorMap::most_dimensions> start{};
    for (std::size_t i = 0; i < map.dimensions; ++i)
      start[i] = static_cast<std::int32_t>(value(slots.size() - operation.immediate + i));
    const std::uint64_t shared = value(0);
    if (loads) {
      resolve(warp, operation, lane, Space::shared, shared, map.box_bytes(), 128, Touch::write);
    } else if (shared % 128 != 0) {
      throw fault(warp, operation, lane,
                  "stores a box from " + hexadecimal(shared) + ", which is not a multiple of 128");
    }
    each_part_of_rows(map, start, [&](std::uint64_t byte, std::uint64_t bytes, std::uint64_t address) {
      if (address == 0 && !loads) return;
      std::byte* const outside = address == 0
                                     ? nullptr
                                     : resolve(warp, operation, lane, Space::global, address, bytes,
                                               map.element_bytes, loads ? Touch::read : Touch::write);
      each_swizzled_piece(
          map, shared + byte, bytes, [&](std::uint64_t done, std::uint64_t piece, std::uint64_t place) {
            std::byte* const inside =
                loads ? warp.shared + place
                      : resolve(warp, operation, lane, Space::shared, place, piece, 1, Touch::read);
            if (outside == nullptr) {
              std::memset(inside, 0, piece);
            } else {
              copy_piece_of_box(loads ? inside : outside + done, loads ? outside + done : inside, piece);
            }
          });
    });
    if (loads) complete(warp, operation, lane, value(2), map.box_bytes());
  });
  return &operation + 1;
}

/// Slots: the shared and the global address, the number of bytes, and, if it loads, a barrier.
template <bool loads>
const Operation* copy_bulk(Warp& warp, const Operation& operation) {
  each_lane(warp.active, [&](int lane) {
    const auto value = [&](std::size_t slot) {
      return warp.values<std::uint32_t>(operation.slots[slot])[lane];
    };
    const std::uint32_t bytes = value(2);
    std::byte* const shared = resolve(warp, operation, lane, Space::shared, value(0), bytes, 16,
                                      loads ? Touch::write : Touch::read);
    std::byte* const global =
        resolve(warp, operation, lane, Space::global, warp.values<std::uint64_t>(operation.slots[1])[lane],
                bytes, 16, loads ? Touch::read : Touch::write);
    std::memcpy(loads ? shared : global, loads ? global : shared, bytes);
    if (loads) complete(warp, operation, lane, value(3), bytes);
  });
  return &operation + 1;
}

/// cp.async. Slots: the global address, the shared address, the bytes that are read; the others become zero.
const Operation* copy_piece(Warp& warp, const Operation& operation) {
  const auto* const sizes = warp.values<std::uint32_t>(operation.slots[2]);
  std::uint32_t reading = 0;  // the others may have any address
  each_lane(warp.active, [&](int lane) { reading |= sizes[lane] != 0 ? 1U << lane : 0; });
  const auto global = locate(warp, operation, operation.slots[0], reading);
  const auto bytes = static_cast<std::uint64_t>(site_of(warp, operation).bytes);
  each_lane(warp.active, [&](int lane) {
    std::byte* const shared =
        resolve(warp, operation, lane, Space::shared, warp.values<std::uint32_t>(operation.slots[1])[lane],
                bytes, bytes, Touch::write);
    const std::uint64_t read = std::min<std::uint64_t>(bytes, sizes[lane]);
    if (read != 0) std::memcpy(shared, global[static_cast<std::size_t>(lane)], read);
    std::memset(shared + read, 0, bytes - read);
  });
  return &operation + 1;
}

}  // namespace

void add_asynchronous(Table& table) {
  table.add("mbarrier.init", "", &initialize, {});
  table.add("mbarrier.arrive", "", &arrive_at_transfer_barrier, {});
  table.add("mbarrier.test", ".parity", &test<false>, {});
  table.add("mbarrier.test", ".state", &test<true>, {});
  table.add("bulk.load", ".box", &copy_box<true>, {});
  table.add("bulk.store", ".box", &copy_box<false>, {});
  table.add("bulk.load", "", &copy_bulk<true>, {});
  table.add("bulk.store", "", &copy_bulk<false>, {});
  table.add("cp.async", "", &copy_piece, {});
}

}  // namespace weft::emulator
