#pragma once

/// @file
/// What is the same in every block: computed before the first one starts.

#include <vector>

#include "emulator/sketch/builder.hpp"

namespace weft::emulator {

/// Takes those drafts out of a kernel's sketch whose results come from constants, parameters and a thread's
/// place in its block alone. Their results are fixed from then on.
/// @return them, in an order in which they can be executed
std::vector<Draft> take_preparation(Builder& builder);

}  // namespace weft::emulator
