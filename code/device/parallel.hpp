#pragma once

/// @file
/// Host loops over the elements of large buffers, on all cores.

#include <cstdint>
#include <functional>

namespace weft {

/// Calls `work(begin, end)` for ranges that cover [begin, end), several at once if there are enough elements.
void for_each_range(std::int64_t begin, std::int64_t end,
                    const std::function<void(std::int64_t, std::int64_t)>& work);

}  // namespace weft
