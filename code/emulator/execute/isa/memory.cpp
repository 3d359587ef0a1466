/// @file
/// Loads and stores of global and shared memory, the fast way: one test tells whether the warp's addresses
/// lie to each other as they did the last time; if so, bounds, alignment and counts are known.

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/execute/isa/all.hpp"
#include "emulator/execute/isa/lanes.hpp"
#include "emulator/execute/isa/shared_check.hpp"
#include "emulator/execute/memory.hpp"

namespace weft::emulator::WEFT_ISA {
namespace {

/// Whether the active lanes' addresses lie to the first one's as in the site's pattern.
template <class Address>
bool follows_pattern(const Warp& warp, const Access& access, const Address* addresses, Address first) {
  if (access.active != warp.active) return false;
  const auto* const distances = access.distances_as<Address>();
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

/// Counts an access and makes sure that it is allowed.
/// @return where the first active lane's data lie in the host's memory
template <class Address>
[[gnu::always_inline]] inline std::byte* enter(Warp& warp, const Operation& operation,
                                               const Address* addresses, std::uint64_t origin, int bytes) {
  Access& access = warp.accesses[operation.site];
  const Address lowest_lane = addresses[std::countr_zero(warp.active)];
  if (!follows_pattern(warp, access, addresses, lowest_lane)) learn_pattern(warp, operation, addresses);
  const auto first = static_cast<Address>(lowest_lane + static_cast<Address>(operation.immediate));
  const std::uint64_t misaligned = (first | access.misaligned) & static_cast<std::uint64_t>(bytes - 1);
  if (first + access.lowest < access.begin || first + access.highest > access.end || misaligned != 0) {
    check_access(warp, operation, first);
  }
  std::uint8_t units = access.units_at[first & 31];
  if (units == Access::unknown) units = learn_units(warp, operation, first);
  access.requests += units != 0;  // some instructions are a part of others in the machine code
  access.units += units;
  return reinterpret_cast<std::byte*>(origin + first);
}

/// Calls `move(lane, place)` for every active lane, with the place of its data.
template <class Address>
inline void each_lane(const Warp& warp, const Access& access, std::byte* first, auto move) {
  const auto* const distances = access.distances_as<Address>();
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

template <class T>
T read(const std::byte* place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  return value;
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
      enter(warp, operation, addresses, origin<space>(warp), static_cast<int>(sizeof(T)) * count);
  if constexpr (space == ptx::Space::shared) {
    if (warp.history != nullptr)
      follow_load<Address>(warp, operation, shared_address(warp, first), sizeof(T) * count);
  }
  const Access& access = warp.accesses[operation.site];
  Kept<T>* results[count];
  for (int i = 0; i < count; ++i) results[i] = warp.values<Kept<T>>(operation.slots[i]);
  if (access.contiguous) {
    for (int i = 0; i < count; ++i) {
      Kept<T>* const result = results[i];
#pragma GCC ivdep
      for (int lane = 0; lane < lanes; ++lane) {
        result[lane] = static_cast<Kept<T>>(read<T>(first + (lane * count + i) * sizeof(T)));
      }
    }
  } else if (warp.active == all_lanes && access.lowest == 0 && access.highest == sizeof(T) * count) {
    for (int i = 0; i < count; ++i) {  // all lanes from one address
      std::fill_n(results[i], lanes, static_cast<Kept<T>>(read<T>(first + i * sizeof(T))));
    }
  } else {
    each_lane<Address>(warp, access, first, [&](int lane, const std::byte* place) {
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
      enter(warp, operation, addresses, origin<space>(warp), static_cast<int>(sizeof(T)) * count);
  const Access& access = warp.accesses[operation.site];
  const Kept<T>* values[count];
  for (int i = 0; i < count; ++i) values[i] = warp.values<Kept<T>>(operation.slots[i]);
  const auto move = [&](int lane, std::byte* place) {
    for (int i = 0; i < count; ++i) {
      const T value = static_cast<T>(values[i][lane]);
      std::memcpy(place + i * sizeof(T), &value, sizeof value);
    }
  };
  const auto move_all = [&] {
    if (access.contiguous) {
#pragma GCC ivdep
      for (int lane = 0; lane < lanes; ++lane)
        move(lane, first + static_cast<std::size_t>(lane) * count * sizeof(T));
    } else {
      each_lane<Address>(warp, access, first, move);
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
  (table.add({store_name, types.name, count_name}, &store<space, Address, typename T::Value, count>,
             {T::ptx_type}),
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
