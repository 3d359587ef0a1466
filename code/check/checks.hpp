#pragma once

/// @file
/// The test case that runs every variant over its shapes.

namespace weft {

/// Test cases of this suite need a device; the others run everywhere.
inline constexpr const char* device_suite = "device";

/// Restricts the checks to small shapes.
void check_small_shapes_alone();

}  // namespace weft
