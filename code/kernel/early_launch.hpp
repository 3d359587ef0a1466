#pragma once

/// @file
/// Launching a kernel before the one in front of it in the stream has ended (CUDA Programming Guide,
/// "Programmatic Dependent Launch"). Cards before compute capability 9.0 launch it behind.

#include <cuda_runtime.h>

namespace weft {

// [early]
/// In the kernel in front: the next one may be launched as soon as all blocks of this one have been.
__device__ inline void let_next_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// In the kernel behind: waits for all that the one in front writes.
__device__ inline void wait_for_one_in_front() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

/// For launch_with(): the kernel may start while the one in front of it still runs.
inline cudaLaunchAttribute early() {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  return attribute;
}
// [early]

}  // namespace weft
