#include "check/pattern.hpp"

#include <algorithm>

namespace weft {

// The compiler turns the inner loop into vectors, with the widest that the processor has.
[[gnu::target_clones("avx512f", "avx2", "default")]]
void hashed_floats(std::uint64_t seed, std::int64_t first, std::int64_t last, float* values) {
  while (first < last) {
    const std::uint32_t salt = salt_of(seed, first);
    const std::uint32_t low = static_cast<std::uint32_t>(first) & low_31_bits;
    const auto count = static_cast<std::uint32_t>(
        std::min<std::int64_t>(last - first, std::int64_t{low_31_bits} + 1 - std::int64_t{low}));
    for (std::uint32_t i = 0; i < count; ++i) values[i] = hashed_float_of(low + i, salt);
    values += count;
    first += count;
  }
}

}  // namespace weft
