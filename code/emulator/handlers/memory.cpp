/// @file
/// Loads and stores that take the slow way: through generic addresses, and of local memory.

#include "emulator/execute/memory.hpp"

#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "emulator/execute/race.hpp"
#include "emulator/handlers/handlers.hpp"

namespace weft::emulator {
namespace {

/// A store through a generic address, before it is made: in shared memory it may race.
template <class T, int count>
void follow_slow_store(Warp& warp, const Operation& operation, int lane, const std::byte* place) {
  if (warp.history == nullptr || !warp.in_shared_memory(place)) return;
  std::array<std::byte, sizeof(T) * count> stored{};
  for (std::size_t i = 0; std::cmp_less(i, count); ++i) {
    const auto value = static_cast<T>(warp.values<SlotBits<T>>(operation.slots[i])[lane]);
    std::memcpy(stored.data() + i * sizeof(T), &value, sizeof value);
  }
  follow_shared(warp, operation, lane, static_cast<std::uint64_t>(place - warp.shared), stored.size(),
                Touch::write, stored.data());
}

/// Handlers of the slow way: slots 0 to count - 1 are the values, the next one is the address.
template <class T, int count, bool writes>
const Operation* access_slowly(Warp& warp, const Operation& operation) {
  const auto places = locate(warp, operation, operation.slots[count]);
  each_lane(warp.active, [&](std::size_t lane) {
    if constexpr (writes) follow_slow_store<T, count>(warp, operation, static_cast<int>(lane), places[lane]);
    for (std::size_t i = 0; std::cmp_less(i, count); ++i) {
      T value{};
      if constexpr (writes) {
        value = static_cast<T>(warp.values<SlotBits<T>>(operation.slots[i])[lane]);
        std::memcpy(places[lane] + i * sizeof(T), &value, sizeof value);
      } else {
        std::memcpy(&value, places[lane] + i * sizeof(T), sizeof value);
        warp.values<SlotBits<T>>(operation.slots[i])[lane] = static_cast<SlotBits<T>>(value);
      }
    }
  });
  return warp.taint.any() ? warp.taint.follow(warp, &operation + 1) : &operation + 1;
}

template <class T>
void add_type(Table& table, const std::string& suffix, ptx::Type type) {
  table.add(("load." + suffix).c_str(), ".1", &access_slowly<T, 1, false>, {type});
  table.add(("load." + suffix).c_str(), ".2", &access_slowly<T, 2, false>, {type});
  table.add(("load." + suffix).c_str(), ".4", &access_slowly<T, 4, false>, {type});
  table.add(("store." + suffix).c_str(), ".1", &access_slowly<T, 1, true>, {type});
  table.add(("store." + suffix).c_str(), ".2", &access_slowly<T, 2, true>, {type});
  table.add(("store." + suffix).c_str(), ".4", &access_slowly<T, 4, true>, {type});
}

void add_space(Table& table, const std::string& name) {
  add_type<std::uint8_t>(table, name + ".b8", ptx::Type::b8);
  add_type<std::int8_t>(table, name + ".s8", ptx::Type::s8);
  add_type<std::uint16_t>(table, name + ".b16", ptx::Type::b16);
  add_type<std::int16_t>(table, name + ".s16", ptx::Type::s16);
  add_type<std::uint32_t>(table, name + ".b32", ptx::Type::b32);
  add_type<std::uint64_t>(table, name + ".b64", ptx::Type::b64);
}

}  // namespace

void add_slow_memory(Table& table) {
  add_space(table, "generic.64");
  add_space(table, "local.64");
  add_space(table, "local.32");
}

}  // namespace weft::emulator
