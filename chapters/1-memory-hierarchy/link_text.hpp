#pragma once

/// @file
/// A link as checks report it.

#include <string>

#include "latency.hpp"

namespace weft {

std::string value_text(Link link);

}  // namespace weft
