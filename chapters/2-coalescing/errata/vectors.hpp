#pragma once

/// @file
/// Three vectors between guard zones, for kernels that leave them.

#include <cstdint>
#include <optional>

#include "check/buffer.hpp"
#include "check/compare.hpp"
#include "device/device.hpp"
#include "step/mismatch.hpp"

namespace weft::errata {

/// Vectors of `count` floats each, filled, and a poisoned sum.
class Guarded {
 public:
  explicit Guarded(std::int64_t count) : a(count), b(count), c(count) {
    a.fill([](std::int64_t index) { return hashed_float(1, index); });
    b.fill([](std::int64_t index) { return hashed_float(2, index); });
    c.poison();
  }

  /// The first element of c, from `first` on, that is not the sum, or the first touched guard.
  [[nodiscard]] std::optional<Mismatch> wrong(std::int64_t first = 0) const {
    cuda_check(cudaGetLastError());
    cuda_check(cudaDeviceSynchronize());
    const auto expected = [first](std::int64_t index) {
      return index < first ? poison<float>() : hashed_float(1, index) + hashed_float(2, index);
    };
    return compare(c, {"c", {c.size()}}, expected, expected);
  }

  GuardedBuffer<float> a, b, c;
};

/// Whether a mismatch is a write past the end.
inline bool past_the_end(const std::optional<Mismatch>& mismatch) {
  return mismatch && mismatch->where == "guard after c";
}

}  // namespace weft::errata
