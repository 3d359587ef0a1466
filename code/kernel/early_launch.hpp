#pragma once

/// @file
/// Launching a kernel before the one in front of it in the stream has ended (CUDA Programming Guide,
/// "Programmatic Dependent Launch"). Cards before compute capability 9.0 launch it behind.

#include <cuda_runtime.h>

#include "kernel/launch_with.hpp"

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

/// Queues a kernel that may start while the one in front of it still runs.
template <class... Parameters>
void launch_early(cudaStream_t stream, void (*kernel)(Parameters...), int blocks, int threads,
                  int shared_bytes, const Parameters&... arguments) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  launch_with(early, stream, kernel, blocks, threads, shared_bytes, arguments...);
}
// [early]

}  // namespace weft
