#pragma once

/// @file
/// The choice among many ways to do the same.

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>

namespace weft {

/// What a launch takes that does not come about.
inline constexpr double refused = std::numeric_limits<double>::infinity();

/// Looks at each candidate, for longer at the fastest of them, and takes the first of these that will do.
/// @param seconds launches a candidate and says how long it took
/// @return the candidate's number; nothing if none comes about and will do
std::optional<std::size_t> fastest(std::size_t candidates, const std::function<double(std::size_t)>& seconds,
                                   const std::function<bool(std::size_t)>& will_do);

}  // namespace weft
