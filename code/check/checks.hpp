#pragma once

/// @file
/// The test case that runs every variant over its shapes.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "step/mismatch.hpp"
#include "step/text.hpp"

namespace weft {

/// Test cases of this suite need a device; the others run everywhere.
inline constexpr const char* device_suite = "device";

/// Fills, poisons, launches and verifies with each seed in turn, in the same buffers.
/// @param finish called after each launch: reports its errors and waits for its end
/// @return the first mismatch
std::optional<Mismatch> first_mismatch(Problem& problem, const std::vector<std::uint64_t>& seeds,
                                       cudaStream_t stream, const std::function<void()>& finish);

/// What this machine lacked for the checks that have run; nothing if they ran on all variants.
const std::optional<std::string>& lacking();

/// Restricts the checks to small shapes.
void check_small_shapes_alone();

}  // namespace weft
