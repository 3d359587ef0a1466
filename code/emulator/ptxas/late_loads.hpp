#pragma once

/// @file
/// Loads that ptxas does later than the PTX: behind a branch, where only those lanes do them that need the
/// value.

#include <cstdint>
#include <optional>

#include "emulator/ptx/module.hpp"
#include "emulator/ptxas/accesses.hpp"

namespace weft::emulator {

/// The branch behind which a load may be done, because nothing before it but what can wait as well needs the
/// value, and nothing changes memory.
std::optional<std::uint32_t> branch_that_may_come_first(const ptx::Function& function,
                                                        const PtxAccess& access);

}  // namespace weft::emulator
