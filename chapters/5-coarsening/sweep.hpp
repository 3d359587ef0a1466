#pragma once

/// @file
/// What the kernels of sweeps have in common.

#include <cuda_runtime.h>

#include "stencil.hpp"

namespace weft {

// [mean]
/// The mean of an element and its four neighbours. All programs add in this order, so that all have the same
/// bits: the product must not be fused with an addition of the next sweep.
__device__ inline float mean_of(float middle, float west, float east, float north, float south) {
  return __fmul_rn((west + east) + (north + south) + middle, 1.0F / 5);
}
// [mean]

/// The same with the neighbours in the planes before and behind.
__device__ inline float mean_of(float middle, float west, float east, float north, float south, float before,
                                float behind) {
  return __fmul_rn((west + east) + (north + south) + (before + behind) + middle, 1.0F / 7);
}

/// So many floats side by side.
template <int count>
struct Floats {
  float at[count];
};

__device__ inline Floats<4> floats_of(float4 four) { return {four.x, four.y, four.z, four.w}; }

__device__ inline float4 four_of(const Floats<4>& floats) {
  return {floats.at[0], floats.at[1], floats.at[2], floats.at[3]};
}

/// Loads one float, or four at once.
/// @param from aligned to as many
template <int count>
__device__ Floats<count> load(const float* from) {
  if constexpr (count == 1) return {*from};
  if constexpr (count == 4) return floats_of(*reinterpret_cast<const float4*>(from));
}

/// Stores them, as what the L2 may drop first: no sweep of this launch reads them.
template <int count>
__device__ void store(float* to, const Floats<count>& floats) {
  if constexpr (count == 1) __stcs(to, floats.at[0]);
  if constexpr (count == 4) __stcs(reinterpret_cast<float4*>(to), four_of(floats));
}

}  // namespace weft
