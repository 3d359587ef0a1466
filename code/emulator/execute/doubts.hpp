#pragma once

/// @file
/// What is to be doubted of a launch's counts.

#include <cstddef>
#include <set>
#include <vector>

#include "emulator/doubt.hpp"
#include "emulator/execute/launch.hpp"

namespace weft::emulator {

/// @return what is to be doubted of what one site counted; nothing if it was not executed
std::set<Doubt> doubts_of(const Launch& launch, const std::vector<Site>& sites,
                          const std::vector<SiteCount>& counts, std::size_t site);

}  // namespace weft::emulator
