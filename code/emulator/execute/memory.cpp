#include "emulator/execute/memory.hpp"

#include <bit>
#include <cstring>
#include <span>
#include <string>

#include "emulator/count/shared_atomic.hpp"
#include "emulator/execute/block.hpp"
#include "emulator/execute/fault.hpp"
#include "emulator/execute/race.hpp"
#include "emulator/memory/allocations.hpp"
#include "emulator/memory/window.hpp"

namespace weft::emulator {
namespace {

using ptx::Space;

bool is_shared(const Site& site) { return site.space == Space::shared; }

/// Where an access lies that no allocation holds.
std::string out_of_bounds_text(std::uint64_t address) {
  const auto inside = device_memory().find(address);
  return inside ? hexadecimal(address) + ", across the end of " + text_of(*inside) : whereabouts(address);
}

Touch touch_of(const Site& site) {
  if (site.updates) return Touch::update;
  return site.write ? Touch::write : Touch::read;
}

/// A read of what was never written: a load taints its results, which may never be used; anything else is an
/// error.
void read_unwritten(Warp& warp, const Operation& operation, int lane, std::uint64_t address,
                    std::uint64_t length) {
  const Access& access = warp.accesses[operation.site];
  const std::uint64_t offset = address - access.memory_begin;
  if (touch_of(site_of(warp, operation)) == Touch::read && makes_registers(warp, operation)) {
    return warp.taint.add_load(warp, operation, lane, length, [&](std::uint64_t from, std::uint64_t bytes) {
      return access.written->first_unwritten(offset + from, bytes) != offset + from + bytes;
    });
  }
  throw fault(warp, operation, lane,
              access_text(site_of(warp, operation)) + " at " + whereabouts(address) +
                  ", where nothing was written before");
}

/// Keeps track of what is written in an allocation whose bytes are not all written.
void follow_global(Warp& warp, const Operation& operation, int lane, std::uint64_t address,
                   std::uint64_t length, Touch touch) {
  Access& access = warp.accesses[operation.site];
  const std::uint64_t offset = address - access.memory_begin;
  if (touch != Touch::write && access.written->first_unwritten(offset, length) != offset + length) {
    read_unwritten(warp, operation, lane, address, length);
  }
  if (touch != Touch::read) access.written->mark(offset, length);
  const WrittenBytes::Range whole = access.written->whole_range(offset);
  access.begin = access.memory_begin + whole.begin;
  access.end = access.memory_begin + whole.end;
}

/// One lane's access to global memory; the host's address is the device's.
std::byte* resolve_global(Warp& warp, const Operation& operation, int lane, std::uint64_t address,
                          std::uint64_t length, Touch touch) {
  Access& access = warp.accesses[operation.site];
  auto* const place = reinterpret_cast<std::byte*>(address);
  if (address >= access.begin && address + length <= access.end) return place;
  if (address < access.memory_begin || address + length > access.memory_end) {
    const auto allocation = device_memory().find(address);
    if (!allocation || !allocation->holds(address, length)) {
      throw fault(warp, operation, lane,
                  access_text(site_of(warp, operation)) + " at " + out_of_bounds_text(address),
                  Fault::Kind::illegal_address);
    }
    access.memory_begin = allocation->begin;
    access.memory_end = allocation->end();
    access.written = allocation->written;
  }
  if (access.written != nullptr) {
    follow_global(warp, operation, lane, address, length, touch);
  } else {
    access.begin = access.memory_begin;
    access.end = access.memory_end;
  }
  return place;
}

/// The shared memory that an address in a cluster's names, and the address in it.
std::span<std::byte> shared_memory(const Warp& warp, std::uint64_t& address) {
  const std::uint64_t rank = address >> shared_address_bits;
  const std::vector<Block*>& blocks = warp.block->cluster->blocks;
  if (rank == 0 || rank > blocks.size()) return {warp.shared, warp.shared_bytes};
  address &= shared_address_mask;
  const Block& block = *blocks[rank - 1];
  return {block.shared.get(), block.shared_bytes};
}

std::byte* resolve_shared(Warp& warp, const Operation& operation, int lane, std::uint64_t address,
                          std::uint64_t length) {
  const std::span<std::byte> memory = shared_memory(warp, address);
  if (length > memory.size() || address > memory.size() - length) {
    throw fault(warp, operation, lane,
                access_text(site_of(warp, operation)) + " at " + hexadecimal(address) +
                    " of shared memory, of which its block has " + std::to_string(warp.shared_bytes) +
                    " bytes",
                Fault::Kind::illegal_address);
  }
  return memory.data() + address;
}

std::byte* resolve_local(Warp& warp, const Operation& operation, int lane, std::uint64_t address,
                         std::uint64_t length) {
  const std::uint64_t size = warp.block->local_bytes;
  if (length > size || address > size - length) {
    throw fault(warp, operation, lane,
                access_text(site_of(warp, operation)) + " at " + hexadecimal(address) +
                    " of local memory, of which it has " + std::to_string(size) + " bytes",
                Fault::Kind::illegal_address);
  }
  return local_memory(warp, lane) + address;
}

/// The host's memory behind one lane's address; what is in shared memory is not followed yet.
std::byte* place_of(Warp& warp, const Operation& operation, int lane, Space space, std::uint64_t address,
                    std::uint64_t bytes, std::uint64_t alignment, Touch touch) {
  if (space == Space::generic && address - shared_window() < 2 * window_bytes) {
    const bool shared = address < local_window();
    address -= shared ? shared_window() : local_window();
    space = shared ? Space::shared : Space::local;
  }
  if (address % alignment != 0) {
    throw fault(warp, operation, lane,
                access_text(site_of(warp, operation)) + " at " + hexadecimal(address) +
                    ", which is not a multiple of " + std::to_string(alignment),
                Fault::Kind::misaligned_address);
  }
  if (space == Space::shared) return resolve_shared(warp, operation, lane, address, bytes);
  if (space == Space::local || space == Space::param)
    return resolve_local(warp, operation, lane, address, bytes);
  return resolve_global(warp, operation, lane, address, bytes, touch);
}

bool in_shared_window(std::uint64_t address) { return address - shared_window() < window_bytes; }
bool in_local_window(std::uint64_t address) { return address - local_window() < window_bytes; }

/// Counts an access whose lanes' addresses are known in full.
void count(Access& access, const Site& site, const std::array<std::uint64_t, lanes>& addresses,
           std::uint32_t active) {
  if (site.counting == Counting::nothing) {
    access.requests += site.doubt == Doubt::local_memory ? 1 : 0;
    return;
  }
  Site wide = site;
  wide.wide = true;
  learn(access, wide, addresses.data(), active);
  const std::uint64_t first = addresses[static_cast<std::size_t>(std::countr_zero(active))];
  const bool by_sector = site.counting != Counting::global_copy;  // that one's lines matter, too
  const std::uint8_t known =
      by_sector ? access.pattern->units_at[first % model::sector_bytes] : Pattern::unknown;
  const std::uint8_t units = known != Pattern::unknown ? known : count_units(*access.pattern, wide, first);
  access.requests += units != 0;
  access.units += units;
  access.beyond_rule = access.beyond_rule || is_beyond_rule(*access.pattern, wide, first);
  if (units != 0 && looks_up_tags(site.counting)) {
    access.tags += count_tags(*access.pattern, first);
    access.data += access.pattern->data_at[first % model::sector_bytes];
  }
}

/// Counts an atomic that is a loop: the lanes load, compute, and swap if nobody else has, until all have.
void count_turns(Access* access, const Site* site, const std::array<std::uint64_t, lanes>& addresses,
                 std::uint32_t active) {
  while (active != 0) {
    count(access[1], site[1], addresses, active);
    count(access[0], site[0], addresses, active);
    active &= ~swapping_lanes(addresses, active, site->bytes);
  }
}

/// @param follows_stores if not, who stores does so itself, since it knows the values
std::array<std::byte*, lanes> locate_lanes(Warp& warp, const Operation& operation,
                                           const std::array<std::uint64_t, lanes>& addresses,
                                           std::uint32_t wanted, bool follows_stores) {
  const Site& site = site_of(warp, operation);
  std::array<std::byte*, lanes> places{};
  const auto bytes = static_cast<std::uint64_t>(site.bytes);
  const Touch touch = touch_of(site);
  std::uint32_t shared = 0;
  std::uint32_t local = 0;
  each_lane(wanted, [&](int lane) {
    const auto index = static_cast<std::size_t>(lane);
    if (site.space == Space::generic && in_shared_window(addresses[index])) shared |= 1U << index;
    if (site.space == Space::generic && in_local_window(addresses[index])) local |= 1U << index;
    places[index] = place_of(warp, operation, lane, site.space, addresses[index], bytes, bytes, touch);
    if ((touch != Touch::write || follows_stores) && warp.in_shared_memory(places[index])) {
      const auto address = static_cast<std::uint64_t>(places[index] - warp.shared);
      follow_shared(warp, operation, lane, address, bytes, touch, nullptr);
    }
  });
  Access* const access = warp.accesses + operation.site;
  if (site.counting == Counting::shared_swap) {
    count_turns(access, &site, addresses, wanted);
    return places;
  }
  const std::uint32_t others = wanted & ~shared & ~local;
  if (others != 0) count(*access, site, addresses, others);
  if (shared != 0) count(access[1], (&site)[1], addresses, shared);
  if (local != 0) ++access[2].requests;
  // Counted on an H200: a generic atomic takes a wavefront of shared memory even if it goes elsewhere.
  if (shared == 0 && site.space == Space::generic && site.counting == Counting::global_atomic)
    ++access[1].units;
  return places;
}

}  // namespace

std::array<std::uint64_t, lanes> addresses_in(const Warp& warp, const Operation& operation,
                                              std::uint32_t slot) {
  std::array<std::uint64_t, lanes> addresses{};
  const auto add_offset = [&]<class Address>(const Address* values) {
    for (std::size_t lane = 0; lane < lanes; ++lane)
      addresses[lane] = static_cast<Address>(values[lane] + operation.immediate);
  };
  if (site_of(warp, operation).wide) {
    add_offset(warp.values<std::uint64_t>(slot));
  } else {
    add_offset(warp.values<std::uint32_t>(slot));
  }
  return addresses;
}

std::array<std::byte*, lanes> locate(Warp& warp, const Operation& operation, std::uint32_t slot) {
  return locate(warp, operation, slot, warp.active);
}

std::array<std::byte*, lanes> locate(Warp& warp, const Operation& operation, std::uint32_t slot,
                                     std::uint32_t active) {
  return locate_lanes(warp, operation, addresses_in(warp, operation, slot), active, false);
}

std::array<std::byte*, lanes> locate(Warp& warp, const Operation& operation,
                                     const std::array<std::uint64_t, lanes>& addresses,
                                     std::uint32_t wanted) {
  return locate_lanes(warp, operation, addresses, wanted, true);
}

std::byte* local_memory(const Warp& warp, int lane) {
  const auto thread = static_cast<std::uint64_t>(warp.index) * lanes + static_cast<std::uint64_t>(lane);
  return warp.block->local.get() + thread * warp.block->local_bytes;
}

void learn_pattern(const Warp& warp, const Operation& operation, const std::uint32_t* addresses) {
  learn(warp.accesses[operation.site], site_of(warp, operation), addresses, warp.active);
}

void learn_pattern(const Warp& warp, const Operation& operation, const std::uint64_t* addresses) {
  learn(warp.accesses[operation.site], site_of(warp, operation), addresses, warp.active);
}

std::uint8_t learn_units(const Warp& warp, const Operation& operation, std::uint64_t first) {
  return count_units(*warp.accesses[operation.site].pattern, site_of(warp, operation), first);
}

void check_access(Warp& warp, const Operation& operation, std::uint64_t first) {
  const Site& site = site_of(warp, operation);
  Access& access = warp.accesses[operation.site];
  const Pattern& pattern = *access.pattern;
  const Touch touch = touch_of(site);
  const auto bytes = static_cast<std::uint64_t>(site.bytes);
  if (pattern.contiguous && access.written != nullptr && first % bytes == 0 && first >= access.memory_begin &&
      first + pattern.highest <= access.memory_end) {
    const std::uint64_t offset = first - access.memory_begin;
    if (touch == Touch::write ||
        access.written->first_unwritten(offset, pattern.highest) == offset + pattern.highest) {
      return follow_global(warp, operation, 0, first, pattern.highest, touch);
    }
  }
  each_lane(warp.active, [&](int lane) {
    const std::uint64_t address = first + distance_of(pattern, site, lane);
    place_of(warp, operation, lane, is_shared(site) ? Space::shared : Space::global, address, bytes, bytes,
             touch);
  });
  if (is_shared(site)) {
    access.begin = 0;
    access.end = warp.shared_bytes;
  }
}

std::byte* resolve(Warp& warp, const Operation& operation, int lane, Space space, std::uint64_t address,
                   std::uint64_t bytes, std::uint64_t alignment, std::optional<Touch> touch) {
  const Touch done = touch.value_or(touch_of(site_of(warp, operation)));
  std::byte* const place = place_of(warp, operation, lane, space, address, bytes, alignment, done);
  if (warp.in_shared_memory(place)) {
    follow_shared(warp, operation, lane, static_cast<std::uint64_t>(place - warp.shared), bytes, done,
                  nullptr);
  }
  return place;
}

}  // namespace weft::emulator
