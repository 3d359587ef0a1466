// Clusters of blocks: shared memory of other blocks, the cluster's barrier, barriers that others arrive at.

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int blocks_in_cluster = 4;
constexpr int threads = 64;
constexpr unsigned senders = 8;

void check(cudaError_t status, int line) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s:%d: %s\n", __FILE__, line, cudaGetErrorString(status));
  std::exit(1);
}

// To older cards, and to the host, all of this is nothing.
// NOLINTBEGIN(misc-const-correctness,misc-unused-parameters)
__device__ unsigned rank_of_block() {
  unsigned rank = 0;
#if __CUDA_ARCH__ >= 900
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
  return rank;
}

__device__ void wait_for_cluster() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

/// The variable of another block that this block's one corresponds to.
template <class T>
__device__ T* in_block(T* own, unsigned rank) {
  T* found = own;
#if __CUDA_ARCH__ >= 900
  asm("mapa.u64 %0, %1, %2;" : "=l"(found) : "l"(own), "r"(rank));
#endif
  return found;
}

/// Stores a word in the shared memory of the block of rank 0, and arrives at its barrier.
__device__ void send(unsigned* own_place, const std::uint64_t* own_barrier, unsigned word) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "{ .reg .b32 p, b; mapa.shared::cluster.u32 p, %0, 0; mapa.shared::cluster.u32 b, %1, 0;\n"
      "st.shared::cluster.u32 [p], %2; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [b]; }" ::"r"(
          static_cast<unsigned>(__cvta_generic_to_shared(own_place))),
      "r"(static_cast<unsigned>(__cvta_generic_to_shared(own_barrier))), "r"(word)
      : "memory");
#endif
}

__device__ void prepare(std::uint64_t* barrier, unsigned arrivals) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(barrier))),
               "r"(arrivals));
#endif
}

__device__ void wait_for(std::uint64_t* barrier) {
#if __CUDA_ARCH__ >= 900
  unsigned done = 0;
  while (done == 0) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0;\n"
        "selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(static_cast<unsigned>(__cvta_generic_to_shared(barrier)))
        : "memory");
  }
#endif
}

// NOLINTEND(misc-const-correctness,misc-unused-parameters)

/// Each block reads the words of the next one in its cluster, and adds to a sum in that of rank 0.
__global__ void pass_round(unsigned* out, unsigned* sums) {
  __shared__ unsigned words[threads];
  __shared__ unsigned sum;
  words[threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;
  if (threadIdx.x == 0) sum = 0;
  wait_for_cluster();
  const unsigned* const next = in_block(words, (rank_of_block() + 1) % blocks_in_cluster);
  out[blockIdx.x * threads + threadIdx.x] = next[threads - 1 - threadIdx.x];
  atomicAdd(in_block(&sum, 0), words[threadIdx.x]);
  wait_for_cluster();
  if (threadIdx.x == 0) sums[blockIdx.x] = *in_block(&sum, 0);
  wait_for_cluster();
}

/// All blocks but that of rank 0 send it a word each, and arrive at its barrier.
__global__ void gather(unsigned* out, unsigned blocks) {
  __shared__ alignas(8) std::uint64_t barrier;
  __shared__ unsigned words[senders];
  const unsigned rank = rank_of_block();
  if (rank == 0 && threadIdx.x == 0) prepare(&barrier, blocks - 1);
  wait_for_cluster();
  if (rank != 0 && threadIdx.x == 0) send(words + rank, &barrier, 100 * rank + blockIdx.x);
  if (rank == 0) {
    wait_for(&barrier);
    if (threadIdx.x > 0 && threadIdx.x < blocks) out[blockIdx.x + threadIdx.x] = words[threadIdx.x];
  }
  wait_for_cluster();
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
  check(cudaMalloc(&out, sizeof(unsigned) * blocks * threads), __LINE__);
  check(cudaMalloc(&sums, blocks * sizeof(unsigned)), __LINE__);
  launch(pass_round, blocks, blocks_in_cluster, out, sums);
  std::vector<unsigned> got(std::size_t{blocks} * threads);
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

  launch(gather, 16, senders, out, senders);
  check(cudaMemcpy(got.data(), out, 16 * sizeof(unsigned), cudaMemcpyDeviceToHost), __LINE__);
  for (unsigned block = 0; block < 16; ++block) {
    const unsigned rank = block % senders;
    if (rank != 0 && got[block] != 100 * rank + block)
      return std::printf("word of block %u: %u\n", block, got[block]), 1;
  }
  check(cudaFree(out), __LINE__);
  check(cudaFree(sums), __LINE__);
}
