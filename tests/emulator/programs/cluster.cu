// Clusters of blocks: shared memory of other blocks, the cluster's barrier, barriers that others arrive at.

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

namespace groups = cooperative_groups;

constexpr int blocks_in_cluster = 4;
constexpr int threads = 64;

void check(cudaError_t status, int line) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s:%d: %s\n", __FILE__, line, cudaGetErrorString(status));
  std::exit(1);
}

/// Each block reads the words of the next one in its cluster, and adds to a sum in that of rank 0.
__global__ void pass_round(unsigned* out, unsigned* sums) {
#if __CUDA_ARCH__ >= 900
  __shared__ unsigned words[threads];
  __shared__ unsigned sum;
  const groups::cluster_group cluster = groups::this_cluster();
  const unsigned rank = cluster.block_rank();
  words[threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;
  if (threadIdx.x == 0) sum = 0;
  cluster.sync();
  const unsigned* const next = cluster.map_shared_rank(words, (rank + 1) % cluster.num_blocks());
  out[blockIdx.x * threads + threadIdx.x] = next[threads - 1 - threadIdx.x];
  atomicAdd(cluster.map_shared_rank(&sum, 0), words[threadIdx.x]);
  cluster.sync();
  if (threadIdx.x == 0) sums[blockIdx.x] = *cluster.map_shared_rank(&sum, 0);
  cluster.sync();
#endif
}

/// All blocks but that of rank 0 send it a word each, and arrive at its barrier.
__global__ void gather(unsigned* out) {
#if __CUDA_ARCH__ >= 900
  __shared__ alignas(8) std::uint64_t barrier;
  __shared__ unsigned words[8];
  const groups::cluster_group cluster = groups::this_cluster();
  const unsigned rank = cluster.block_rank();
  const auto local_barrier = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  const auto local_words = static_cast<unsigned>(__cvta_generic_to_shared(words));
  if (rank == 0 && threadIdx.x == 0)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(local_barrier),
                 "r"(cluster.num_blocks() - 1));
  cluster.sync();
  if (rank != 0 && threadIdx.x == 0) {
    unsigned place = 0;
    unsigned remote = 0;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(place) : "r"(local_words + 4 * rank));
    asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(remote) : "r"(local_barrier));
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(place), "r"(100 * rank + blockIdx.x) : "memory");
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote) : "memory");
  }
  if (rank == 0) {
    unsigned done = 0;
    while (done == 0) {
      asm volatile(
          "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.u32 %0, "
          "1, 0, p; }"
          : "=r"(done)
          : "r"(local_barrier)
          : "memory");
    }
    if (threadIdx.x > 0 && threadIdx.x < cluster.num_blocks())
      out[blockIdx.x + threadIdx.x] = words[threadIdx.x];
  }
  cluster.sync();
#endif
}

/// Launches blocks in clusters.
template <class... Argument>
void launch(void (*kernel)(Argument...), unsigned blocks, unsigned blocks_per_cluster,
            Argument... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = blocks_per_cluster;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.attrs = &attribute;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, kernel, arguments...), __LINE__);
}

}  // namespace

int main() {
  int major = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), __LINE__);
  if (major < 9) return 0;
  constexpr int blocks = 4 * blocks_in_cluster;
  unsigned* out = nullptr;
  unsigned* sums = nullptr;
  check(cudaMalloc(&out, blocks * threads * sizeof(unsigned)), __LINE__);
  check(cudaMalloc(&sums, blocks * sizeof(unsigned)), __LINE__);
  launch(pass_round, blocks, blocks_in_cluster, out, sums);
  std::vector<unsigned> got(blocks * threads);
  std::vector<unsigned> totals(blocks);
  check(cudaMemcpy(got.data(), out, got.size() * sizeof(unsigned), cudaMemcpyDeviceToHost), __LINE__);
  check(cudaMemcpy(totals.data(), sums, totals.size() * sizeof(unsigned), cudaMemcpyDeviceToHost), __LINE__);
  for (int block = 0; block < blocks; ++block) {
    const int first = block / blocks_in_cluster * blocks_in_cluster;
    const int next = first + (block + 1) % blocks_in_cluster;
    unsigned total = 0;
    for (int other = first; other < first + blocks_in_cluster; ++other) {
      for (int thread = 0; thread < threads; ++thread) total += static_cast<unsigned>(other * 1000 + thread);
    }
    if (totals[block] != total)
      return std::printf("block %d: sum %u, not %u\n", block, totals[block], total), 1;
    for (int thread = 0; thread < threads; ++thread) {
      const auto expected = static_cast<unsigned>(next * 1000 + threads - 1 - thread);
      if (got[block * threads + thread] != expected)
        return std::printf("block %d thread %d\n", block, thread), 1;
    }
  }

  launch(gather, 16, 8, out);
  check(cudaMemcpy(got.data(), out, 16 * sizeof(unsigned), cudaMemcpyDeviceToHost), __LINE__);
  for (unsigned block = 0; block < 16; ++block) {
    const unsigned rank = block % 8;
    if (rank != 0 && got[block] != 100 * rank + block)
      return std::printf("word of block %u: %u\n", block, got[block]), 1;
  }
  check(cudaFree(out), __LINE__);
  check(cudaFree(sums), __LINE__);
}
