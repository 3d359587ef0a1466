#pragma once

/// @file
/// What accesses to memory do when they cannot take the fast way: seen for the first time, not allowed, or to
/// a space in which every lane must look for itself.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "emulator/check/shared_history.hpp"
#include "emulator/execute/warp.hpp"

namespace weft::emulator {

/// Makes the warp's addresses the pattern of the operation's site.
void learn_pattern(const Warp& warp, const Operation& operation, const std::uint32_t* addresses);
void learn_pattern(const Warp& warp, const Operation& operation, const std::uint64_t* addresses);

/// Counts the pattern with the first lane's address at `first`, for the first time.
std::uint8_t learn_units(const Warp& warp, const Operation& operation, std::uint64_t first);

/// Checks and notes one lane's access to shared memory.
/// @param stored the bytes that it writes, if they are known: a write that changes nothing is no race
/// @throws Fault if it reads what was never written, or races
void follow_shared(Warp& warp, const Operation& operation, int lane, std::uint64_t address,
                   std::uint64_t bytes, Touch touch, const std::byte* stored);

/// Whether an operation is a load into registers, not a copy to elsewhere.
bool makes_registers(const Warp& warp, const Operation& operation);

/// Finds which lanes of the site's pattern have addresses of their own.
void learn_first_lanes(const Warp& warp, const Operation& operation);

/// What the lanes of a warp store, in bytes as in memory.
struct StoredValues {
  std::array<std::array<std::byte, 16>, lanes> of;
};

/// Looks closely at a load from shared memory that may read what was never written, or race with a write.
/// @throws Fault if it does
void examine_load(Warp& warp, const Operation& operation, std::uint64_t first);

/// Looks closely at a store to shared memory that may race, before it is made. One that changes nothing does
/// not.
/// @throws Fault if it does
void examine_store(Warp& warp, const Operation& operation, std::uint64_t first, const StoredValues& values);

/// Looks whether lanes have stored different values at one address.
/// @throws Fault if they have
void examine_common_store(Warp& warp, const Operation& operation, std::uint64_t first,
                          const StoredValues& values);

/// Looks whether an access that follows the site's pattern is allowed, and remembers the allocation.
/// @throws Fault that names the first lane whose access is not
void check_access(Warp& warp, const Operation& operation, std::uint64_t first);

/// The host's memory behind one lane's address.
/// @param address in the space, offset included
/// @param alignment that the address must have
/// @param touch what the lane does there; without it, what the site says
/// @throws Fault if the lane may not access that many bytes there
std::byte* resolve(Warp& warp, const Operation& operation, int lane, ptx::Space space, std::uint64_t address,
                   std::uint64_t bytes, std::uint64_t alignment, std::optional<Touch> touch = std::nullopt);

/// A thread's local memory.
std::byte* local_memory(const Warp& warp, int lane);

/// The lanes' addresses in a slot, with the operation's offset.
std::array<std::uint64_t, lanes> addresses_in(const Warp& warp, const Operation& operation,
                                              std::uint32_t slot);

/// Checks and counts an access, in whatever space its site names, whose addresses lie in a slot.
/// @return for each active lane where its data lie in the host's memory
std::array<std::byte*, lanes> locate(Warp& warp, const Operation& operation, std::uint32_t slot);
/// The same for some of the active lanes.
std::array<std::byte*, lanes> locate(Warp& warp, const Operation& operation, std::uint32_t slot,
                                     std::uint32_t active);

/// The same for some lanes' addresses, which are given.
std::array<std::byte*, lanes> locate(Warp& warp, const Operation& operation,
                                     const std::array<std::uint64_t, lanes>& addresses, std::uint32_t wanted);

}  // namespace weft::emulator
