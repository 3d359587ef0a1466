#pragma once

/// @file
/// What steps say to the blocks of a cluster, which read each other's shared memory. Cards of compute
/// capability 9.0 and later have clusters.

#include <cuda_runtime.h>

#include "kernel/launch_with.hpp"
#include "problem.hpp"

namespace weft {

/// This block's place among those of its cluster.
__device__ inline unsigned rank_in_cluster() {
#if __CUDA_ARCH__ >= 900
  unsigned rank = 0;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
#else
  return 0;
#endif
}

/// Where another block of the cluster has in its shared memory what this one has at `own`.
template <typename T>
__device__ T* in_block(T* own, [[maybe_unused]] unsigned rank) {
#if __CUDA_ARCH__ >= 900
  T* there = nullptr;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(own), "r"(rank));
  return there;
#else
  return own;
#endif
}

/// Waits for all threads of the cluster, and sees what they wrote.
__device__ inline void wait_for_cluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
#endif
}

/// Queues a kernel whose blocks are divided into clusters.
/// @throws Unavailable on a card that has none
template <class... Parameters>
void launch_clusters(cudaStream_t stream, void (*kernel)(Parameters...), int blocks, unsigned size,
                     dim3 block, const Parameters&... arguments) {
  if (device_attribute(cudaDevAttrComputeCapabilityMajor) < 9)
    unavailable("it takes clusters, and this card has none");
  cudaLaunchAttribute clusters{};
  clusters.id = cudaLaunchAttributeClusterDimension;
  clusters.val.clusterDim = {size, 1, 1};
  launch_with(clusters, stream, kernel, blocks, block, 0, arguments...);
}

}  // namespace weft
