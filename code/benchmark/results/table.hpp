#pragma once

/// @file
/// Measurements as a table for a terminal.

#include <string>
#include <vector>

#include "benchmark/results/results.hpp"

namespace weft {

/// A line for each measurement: step, parameters, shape, median time, spread, rate, and its share of the
/// fastest ceiling's rate at the same shape, if there is a ceiling.
std::string format_table(const std::vector<Json>& measurements);

}  // namespace weft
