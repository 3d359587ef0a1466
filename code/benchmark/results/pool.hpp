#pragma once

/// @file
/// The same measurement from several rounds, as one.

#include <vector>

#include "benchmark/results/results.hpp"

namespace weft {

/// Measurements of several rounds, each with all its samples, as results have them. Rounds are pooled sample
/// by sample, so that a drift of the GPU falls on ceilings, peers and steps alike; "rounds" holds the median
/// of each. The latest decides about the rest. A measurement whose fingerprint is not the latest's is left
/// out.
std::vector<Json> pooled(const std::vector<Json>& measurements);

}  // namespace weft
