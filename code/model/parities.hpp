#pragma once

/// @file
/// Which bits of addresses decide about a part of a memory, if each bit of the part's number is the parity of
/// some bits of the address: then the addresses of one part agree in these parities.

#include <cstdint>
#include <span>
#include <vector>

namespace weft::model {

/// A parity of the bits under a mask.
struct Parity {
  std::uint64_t mask;
  double bias;  ///< the share of differences in which it is even, minus the share in which it is odd
};

inline constexpr int most_parity_bits = 26;

/// The parities of differences (`a ^ b` of two addresses of one part) that are even in most of them, or odd
/// in most. All masks are tried at once, by a Walsh-Hadamard transform.
/// @param bits of a difference, the lowest ones: 1 to 26
/// @param least_bias no parity has less, whatever its sign
/// @return the strongest first; none is the sum of others before it
/// @throws std::invalid_argument if there are no bits, or too many
std::vector<Parity> parities(std::span<const std::uint64_t> differences, int bits, double least_bias);

}  // namespace weft::model
