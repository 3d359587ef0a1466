#pragma once

/// @file
/// Host loops over the elements of large buffers, on all cores.

#include <cstdint>

#include "step/function.hpp"

namespace weft {

/// Calls `work(begin, end)` for ranges that cover [begin, end), several at once if there is enough to do.
/// @param parts how many array elements' worth of work each of them takes
void for_each_range(std::int64_t begin, std::int64_t end,
                    const Function<void(std::int64_t, std::int64_t)>& work, std::int64_t parts = 1);

}  // namespace weft
