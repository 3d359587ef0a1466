#include "model/parities.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "model/refuse.hpp"

namespace weft::model {

std::vector<Parity> parities(std::span<const std::uint64_t> differences, int bits, double least_bias) {
  if (bits < 1 || bits > most_parity_bits) refuse("parities are of 1 to 26 bits");
  if (differences.empty()) return {};
  const std::uint64_t size = std::uint64_t{1} << bits;
  std::vector<std::int32_t> sums(size);
  for (const std::uint64_t difference : differences) ++sums[difference & (size - 1)];
  for (std::uint64_t half = 1; half < size; half *= 2) {
    for (std::uint64_t block = 0; block < size; block += 2 * half) {
      for (std::uint64_t i = block; i < block + half; ++i) {
        const std::int32_t even = sums[i], odd = sums[i + half];
        sums[i] = even + odd;
        sums[i + half] = even - odd;
      }
    }
  }
  std::vector<Parity> strong;
  for (std::uint64_t mask = 1; mask < size; ++mask) {
    const double bias = sums[mask] / static_cast<double>(differences.size());
    if (std::abs(bias) >= least_bias) strong.push_back({mask, bias});
  }
  std::ranges::stable_sort(strong, [](const Parity& a, const Parity& b) {
    return std::abs(a.bias) != std::abs(b.bias) ? std::abs(a.bias) > std::abs(b.bias)
                                                : std::popcount(a.mask) < std::popcount(b.mask);
  });
  std::vector<Parity> independent;
  std::vector<std::uint64_t> basis;  // each with a highest bit of its own
  for (const Parity& parity : strong) {
    std::uint64_t rest = parity.mask;
    for (const std::uint64_t known : basis) rest = std::min(rest, rest ^ known);
    if (rest == 0) continue;
    basis.push_back(rest);
    std::ranges::sort(basis, std::greater<>());
    independent.push_back(parity);
  }
  return independent;
}

}  // namespace weft::model
