#pragma once

/// @file
/// Four neighbouring floats in one access.

#include <cuda_runtime.h>

#include <cstdint>

#include "problem.hpp"

namespace weft {

// [fours]
/// Four floats from an address that is a multiple of 16 bytes.
__device__ inline void load_four(float* to, const float* from) {
  const float4 four = *reinterpret_cast<const float4*>(from);
  to[0] = four.x;
  to[1] = four.y;
  to[2] = four.z;
  to[3] = four.w;
}
// [fours]

// [wide]
/// Whether B and C can be accessed by fours: each row begins on 16 bytes and holds whole fours.
inline bool is_wide(const Sgemm& p) {
  const auto addresses = reinterpret_cast<std::uintptr_t>(p.b) | reinterpret_cast<std::uintptr_t>(p.c);
  return addresses % sizeof(float4) == 0 && p.n % 4 == 0 && p.ldb % 4 == 0 && p.ldc % 4 == 0;
}

/// The first `valid` of four floats, and 0 for the others. If `wide`, they begin on 16 bytes and all of them
/// may be read as soon as one is valid.
template <bool wide>
__device__ inline float4 load_valid(const float* from, std::int64_t valid) {
  if constexpr (wide) {
    return valid > 0 ? *reinterpret_cast<const float4*>(from) : float4{};
  } else {
    return {valid > 0 ? from[0] : 0, valid > 1 ? from[1] : 0, valid > 2 ? from[2] : 0,
            valid > 3 ? from[3] : 0};
  }
}

/// Updates the first `valid` of four neighbouring elements of C; all or none of them if `wide`.
template <bool wide>
__device__ inline void update_valid(float* to, std::int64_t valid, float alpha, const float* sums,
                                    float beta) {
  if constexpr (wide) {
    if (valid <= 0) return;
    auto* const four = reinterpret_cast<float4*>(to);
    float4 result{alpha * sums[0], alpha * sums[1], alpha * sums[2], alpha * sums[3]};
    if (beta != 0) {
      const float4 old = *four;
      result.x += beta * old.x;
      result.y += beta * old.y;
      result.z += beta * old.z;
      result.w += beta * old.w;
    }
    __stwb(four, result);  // a plain store, but certainly one of 16 bytes
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (i < valid) update(to + i, alpha, sums[i], beta);
    }
  }
}
// [wide]

}  // namespace weft
