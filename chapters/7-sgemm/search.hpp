#pragma once

/// @file
/// Peers that have many kernels for a product: the fastest of them is found, and timed like a step.

#include <cstdint>

#include "product.hpp"

namespace weft {

/// One way in which a peer can do a product.
struct Candidate {
  Work launch;              ///< throws std::runtime_error if the peer refuses
  List<double> properties;  ///< the numbers by which the peer tells its kernels apart
};

/// What a candidate may use at the most, such as for partial sums.
inline constexpr std::int64_t workspace_bytes = std::int64_t{64} << 20;

/// The same for any problem, in floats.
inline std::int64_t workspace_of_search(std::int64_t /*m*/, std::int64_t /*n*/, std::int64_t /*k*/) {
  return workspace_bytes / static_cast<std::int64_t>(sizeof(float));
}

/// What there is to choose from.
struct Search {
  List<Candidate> (*candidates)(const Sgemm&);
  List<Name> properties;  ///< their names, in the order of a candidate's numbers
  /// The error that a candidate may have to be chosen, in roundings of a float, for inputs from [-1, 1).
  double most_error;
};

/// Registers a peer that is timed with the fastest of its candidates. They are tried at each shape before
/// the timing, with the shape's own buffers and a cold L2. Reported are the chosen one's properties and
/// error, and how many were tried.
void add_fastest(const char* name, const Search& search, const ProductOptions& options);

}  // namespace weft
