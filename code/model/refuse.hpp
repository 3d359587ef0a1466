#pragma once

/// @file
/// Exceptions for headers that every step includes: what throws stands elsewhere, since the standard
/// library's headers of exceptions and strings take longer to compile than a step.

namespace weft {

/// @throws std::invalid_argument with this text
[[noreturn]] void refuse(const char* why);

/// @throws std::out_of_range for what a list does not have
[[noreturn]] void refuse_place();

}  // namespace weft
