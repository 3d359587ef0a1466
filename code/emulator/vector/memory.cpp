/// @file
/// Loads and stores of global and shared memory, the fast way: one test tells whether the warp's addresses
/// lie to each other as they did the last time; if so, bounds, alignment and counts are known.

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/execute/memory.hpp"
#include "emulator/vector/all.hpp"
#include "emulator/vector/lanes.hpp"
#include "emulator/vector/shared_check.hpp"

namespace weft::emulator::WEFT_ISA {
namespace {

/// Whether the active lanes' addresses lie to the first one's as in a pattern.
template <class Address>
bool follows(const Pattern& pattern, const Warp& warp, const Address* addresses, Address first) {
  if (pattern.active != warp.active) return false;
  const auto* const distances = pattern.distances_as<Address>();
  Address differs = 0;
  if (warp.active == all_lanes) {
    for (int lane = 0; lane < lanes; ++lane) differs |= (addresses[lane] - first) ^ distances[lane];
  } else {
    for (int lane = 0; lane < lanes; ++lane) {
      const Address difference = (addresses[lane] - first) ^ distances[lane];
      differs |= warp.lane_mask[lane] != 0 ? difference : 0;
    }
  }
  return differs == 0;
}

/// Has the host's caches fetch what the warp wants next if it goes on as it came here: from turn to turn of a
/// loop, or from its place in the block before.
inline void fetch_ahead(const Warp& warp, Access& access, std::uint64_t first) {
  constexpr std::uint64_t line_bytes = 64;
  constexpr std::uint64_t sector_bytes = 32;
  const Pattern& pattern = *access.pattern;
  std::uint64_t& was_at = access.warps_were_at[warp.index];
  const auto* const next = reinterpret_cast<const std::byte*>(first + (first - was_at));
  was_at = first;
  if (pattern.contiguous) {
    for (std::uint64_t byte = 0; byte < pattern.highest; byte += line_bytes) __builtin_prefetch(next + byte);
  } else if (first % sector_bytes == 0 && pattern.highest - pattern.lowest > line_bytes) {
    const auto* const distances = pattern.distances_as<std::uint64_t>();
    for (int lane = 0; lane < lanes; ++lane) __builtin_prefetch(next + distances[lane]);
  }
}

// [enter]
/// Counts an access and makes sure that it is allowed.
/// @return where the first active lane's data lie in the host's memory
template <ptx::Space space, class Address>
[[gnu::always_inline]] inline std::byte* enter(Warp& warp, const Operation& operation,
                                               const Address* addresses, std::uint64_t origin, int bytes) {
  Access& access = warp.accesses[operation.site];
  const Address lowest_lane = addresses[std::countr_zero(warp.active)];
  if (!follows(*access.pattern, warp, addresses, lowest_lane)) learn_pattern(warp, operation, addresses);
  const Pattern& pattern = *access.pattern;
  const auto first = static_cast<Address>(lowest_lane + static_cast<Address>(operation.immediate));
  const std::uint64_t misaligned = (first | pattern.misaligned) & static_cast<std::uint64_t>(bytes - 1);
  if (first + pattern.lowest < access.begin || first + pattern.highest > access.end || misaligned != 0) {
    check_access(warp, operation, first);
  }
  std::uint8_t units = pattern.units_at[first & 31];
  if (units == Pattern::unknown) units = learn_units(warp, operation, first);
  access.requests += units != 0;  // some instructions are a part of others in the machine code
  access.units += units;
  if constexpr (space == ptx::Space::global) {
    access.tags += count_tags(*access.pattern, first);
    access.data += pattern.data_at[first & 31];
    fetch_ahead(warp, access, first);
  }
  return reinterpret_cast<std::byte*>(origin + first);
}
// [enter]

/// Calls `move(lane, place)` for every active lane, with the place of its data.
template <class Address>
inline void each_lane(const Warp& warp, const Pattern& pattern, std::byte* first, auto move) {
  const auto* const distances = pattern.distances_as<Address>();
  using Signed = std::make_signed_t<Address>;
  if (warp.active == all_lanes) {
    for (int lane = 0; lane < lanes; ++lane) move(lane, first + static_cast<Signed>(distances[lane]));
  } else {
    for (std::uint32_t rest = warp.active; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      move(lane, first + static_cast<Signed>(distances[lane]));
    }
  }
}

/// What lies at a place, which is a multiple of its size.
template <class T>
T read(const std::byte* place) {
  return *reinterpret_cast<const T*>(place);
}

/// Where the addresses of a space start in the host's memory.
template <ptx::Space space>
std::uint64_t origin(const Warp& warp) {
  return space == ptx::Space::shared ? reinterpret_cast<std::uint64_t>(warp.shared) : 0;
}

/// The address in shared memory of a place in the host's.
std::uint64_t shared_address(const Warp& warp, const std::byte* place) {
  return static_cast<std::uint64_t>(place - warp.shared);
}

/// `ld`: slots 0 to count - 1 are the results, the next one is the address.
template <ptx::Space space, class Address, class T, int count>
const Operation* load(Warp& warp, const Operation& operation) {
  const auto* const addresses = warp.values<Address>(operation.slots[count]);
  std::byte* const first =
      enter<space>(warp, operation, addresses, origin<space>(warp), static_cast<int>(sizeof(T)) * count);
  if constexpr (space == ptx::Space::shared) {
    if (warp.history != nullptr)
      follow_load<Address>(warp, operation, shared_address(warp, first), sizeof(T) * count);
  }
  const Pattern& pattern = *warp.accesses[operation.site].pattern;
  Kept<T>* results[count];
  for (int i = 0; i < count; ++i) results[i] = warp.values<Kept<T>>(operation.slots[i]);
  if (pattern.contiguous) {
    for (int i = 0; i < count; ++i) {
      Kept<T>* const result = results[i];
#pragma GCC ivdep
      for (int lane = 0; lane < lanes; ++lane) {
        result[lane] = static_cast<Kept<T>>(read<T>(first + (lane * count + i) * sizeof(T)));
      }
    }
  } else if (warp.active == all_lanes && pattern.lowest == 0 && pattern.highest == sizeof(T) * count) {
    for (int i = 0; i < count; ++i) {  // all lanes from one address
      std::fill_n(results[i], lanes, static_cast<Kept<T>>(read<T>(first + i * sizeof(T))));
    }
  } else if (warp.active == all_lanes) {
    const auto* const distances = pattern.distances_as<std::make_signed_t<Address>>();
    for (int i = 0; i < count; ++i) {
      Kept<T>* const result = results[i];
#pragma GCC ivdep
      for (int lane = 0; lane < lanes; ++lane)
        result[lane] = static_cast<Kept<T>>(read<T>(first + distances[lane] + i * sizeof(T)));
    }
  } else {
    each_lane<Address>(warp, pattern, first, [&](int lane, const std::byte* place) {
      for (int i = 0; i < count; ++i) results[i][lane] = static_cast<Kept<T>>(read<T>(place + i * sizeof(T)));
    });
  }
  return warp.taint.any() ? warp.taint.follow(warp, &operation + 1) : &operation + 1;
}

/// `st`: slots 0 to count - 1 are the values, the next one is the address.
template <ptx::Space space, class Address, class T, int count>
const Operation* store(Warp& warp, const Operation& operation) {
  const auto* const addresses = warp.values<Address>(operation.slots[count]);
  std::byte* const first =
      enter<space>(warp, operation, addresses, origin<space>(warp), static_cast<int>(sizeof(T)) * count);
  const Pattern& pattern = *warp.accesses[operation.site].pattern;
  const Kept<T>* values[count];
  for (int i = 0; i < count; ++i) values[i] = warp.values<Kept<T>>(operation.slots[i]);
  const auto move = [&](int lane, std::byte* place) {
    for (int i = 0; i < count; ++i) {
      const T value = static_cast<T>(values[i][lane]);
      std::memcpy(place + i * sizeof(T), &value, sizeof value);
    }
  };
  const auto move_all = [&] {
    if (pattern.contiguous) {
#pragma GCC ivdep
      for (int lane = 0; lane < lanes; ++lane)
        move(lane, first + static_cast<std::size_t>(lane) * count * sizeof(T));
    } else {
      each_lane<Address>(warp, pattern, first, move);
    }
  };
  if constexpr (space == ptx::Space::shared) {
    if (warp.history != nullptr) {
      follow_store<Address, sizeof(T) * count>(warp, operation, shared_address(warp, first), move, move_all);
      return &operation + 1;
    }
  }
  move_all();
  return &operation + 1;
}

/// Names such as "load.shared.32.u16.2": 32-bit addresses, two elements.
template <ptx::Space space, class Address, int count, class... T>
void add_width(Table& table, const char* load_name, const char* store_name, const char* count_name,
               T... types) {
  (table.add({load_name, types.name, count_name}, &load<space, Address, typename T::Value, count>,
             {T::ptx_type}),
   ...);
  (table.add({store_name, types.name, count_name},
             &store<space, Address, std::make_unsigned_t<typename T::Value>, count>, {T::ptx_type}),
   ...);
}

template <ptx::Space space, class Address>
void add_space(Table& table, const char* load_name, const char* store_name) {
  add_width<space, Address, 1>(table, load_name, store_name, ".1", b8, s8, b16, s16, b32, b64);
  add_width<space, Address, 2>(table, load_name, store_name, ".2", b8, s8, b16, s16, b32, b64);
  add_width<space, Address, 4>(table, load_name, store_name, ".4", b8, s8, b16, s16, b32);
}

}  // namespace

void add_memory(Table& table) {
  add_space<ptx::Space::global, std::uint64_t>(table, "load.global.64", "store.global.64");
  add_space<ptx::Space::shared, std::uint32_t>(table, "load.shared.32", "store.shared.32");
  add_space<ptx::Space::shared, std::uint64_t>(table, "load.shared.64", "store.shared.64");
}

}  // namespace weft::emulator::WEFT_ISA
