#pragma once

/// @file
/// Loads whose lines L2 gives up last.

#include <cuda_runtime.h>

#include <cstdint>

namespace weft {

// [policy]
/// What L2 shall do with the lines of a load: a value that the instruction createpolicy makes.
using L2Policy = std::uint64_t;

/// When L2 needs room, other lines go first. Needs sm_80: older cards have one policy, and load plainly.
__device__ inline L2Policy evict_last() {
#if __CUDA_ARCH__ >= 800
  L2Policy policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  return policy;
#else
  return 0;
#endif
}

/// The word at `address`, which no one writes while the kernel runs.
__device__ inline float load_evict_last(const float* address, [[maybe_unused]] L2Policy policy) {
#if __CUDA_ARCH__ >= 800
  float word;
  asm("ld.global.nc.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(word) : "l"(address), "l"(policy));
  return word;
#else
  return __ldg(address);
#endif
}

/// The same, and if L2 has to ask memory for it, then for all the 256 bytes that it lies in: they are needed
/// soon.
__device__ inline float load_evict_last_256(const float* address, [[maybe_unused]] L2Policy policy) {
#if __CUDA_ARCH__ >= 800
  float word;
  asm("ld.global.nc.L2::cache_hint.L2::256B.f32 %0, [%1], %2;" : "=f"(word) : "l"(address), "l"(policy));
  return word;
#else
  return __ldg(address);
#endif
}

/// Four words at `address`, a multiple of 16 bytes.
__device__ inline float4 load_evict_last(const float4* address, [[maybe_unused]] L2Policy policy) {
#if __CUDA_ARCH__ >= 800
  float4 words;
  asm("ld.global.nc.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;"
      : "=f"(words.x), "=f"(words.y), "=f"(words.z), "=f"(words.w)
      : "l"(address), "l"(policy));
  return words;
#else
  return __ldg(address);
#endif
}
// [policy]

}  // namespace weft
