#pragma once

/// @file
/// Copies from global to shared memory that go past the registers and that nobody waits for yet.

#include <cuda_pipeline.h>

namespace weft {

// [copy-async]
/// Starts to copy 4 or 16 bytes to shared memory, or zeros if there is nothing to be had; 16 bytes go past
/// the L1, too. `__pipeline_commit()` closes a group of copies, `__pipeline_wait_prior(groups)` waits for all
/// but the latest ones. Needs sm_80: on older cards it is a load and a store.
template <class Vector>
__device__ inline void copy_async(Vector* to, const Vector* from, bool there) {
#if __CUDA_ARCH__ >= 800
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  constexpr int bytes = sizeof(Vector);
  const int bytes_read = there ? bytes : 0;
  if constexpr (bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(from), "r"(bytes_read)
                 : "memory");
  } else {
    static_assert(bytes == 4);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from), "r"(bytes_read)
                 : "memory");
  }
#else
  *to = there ? *from : Vector{};
#endif
}
// [copy-async]

}  // namespace weft
