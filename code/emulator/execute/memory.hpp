#pragma once

/// @file
/// What accesses to memory do when they cannot take the fast way: seen for the first time, not allowed, or to
/// a space in which every lane must look for itself.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "emulator/execute/warp.hpp"
#include "emulator/memory/shared_history.hpp"

namespace weft::emulator {

/// Makes the warp's addresses the pattern of the operation's site.
void learn_pattern(const Warp& warp, const Operation& operation, const std::uint32_t* addresses);
void learn_pattern(const Warp& warp, const Operation& operation, const std::uint64_t* addresses);

/// Counts the pattern with the first lane's address at `first`, for the first time.
std::uint8_t learn_units(const Warp& warp, const Operation& operation, std::uint64_t first);

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
