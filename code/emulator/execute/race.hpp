#pragma once

/// @file
/// What the checker looks at in shared memory: reads of what was never written, and races.

#include <array>
#include <cstddef>
#include <cstdint>

#include "emulator/execute/warp.hpp"
#include "emulator/memory/shared_history.hpp"

namespace weft::emulator {

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

}  // namespace weft::emulator
