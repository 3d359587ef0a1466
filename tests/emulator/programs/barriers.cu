// libcu++ on the device: atomics, barriers and pipelines, semaphores and latches.

#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/semaphore>

#include "check.hpp"

namespace cg = cooperative_groups;

constexpr int threads = 128;
constexpr int tile = 256;

/// Producer and consumer warps hand over tiles in shared memory.
__global__ void hand_over(const int* in, int* out, int tiles) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ int buffer[tile];
  __shared__ Barrier filled;
  __shared__ Barrier emptied;
  if (threadIdx.x == 0) {
    init(&filled, threads);
    init(&emptied, threads);
  }
  __syncthreads();
  const bool produces = threadIdx.x < threads / 2;
  const int lane = static_cast<int>(threadIdx.x) % (threads / 2);
  int sum = 0;
  for (int t = 0; t < tiles; ++t) {
    if (produces) {
      for (int i = lane; i < tile; i += threads / 2) buffer[i] = in[t * tile + i];
      static_cast<void>(filled.arrive());
      emptied.arrive_and_wait();
    } else {
      filled.arrive_and_wait();
      for (int i = lane; i < tile; i += threads / 2) sum += buffer[i];
      static_cast<void>(emptied.arrive());
    }
  }
  if (!produces) atomicAdd(out, sum);
}

/// Copies two tiles ahead of the one that is added up.
__global__ void stage(const int* in, int* out, int tiles) {
  constexpr int stages = 2;
  __shared__ alignas(16) int buffer[stages][tile];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  const auto block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  int sum = 0;
  int next = 0;
  for (int t = 0; t < tiles; ++t) {
    for (; next < tiles && next < t + stages; ++next) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, buffer[next % stages], in + next * tile,
                         cuda::aligned_size_t<16>(sizeof buffer[0]), pipeline);
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    block.sync();
    for (auto i = threadIdx.x; i < tile; i += threads) sum += buffer[t % stages][i];
    block.sync();
    pipeline.consumer_release();
  }
  atomicAdd(out, sum);
}

/// Blocks pass a token on, each adding its own; a semaphore keeps a counter safe.
__global__ void pass_on(int* token, int* total,
                        cuda::binary_semaphore<cuda::thread_scope_device>* semaphore) {
  const cuda::atomic_ref<int, cuda::thread_scope_device> seen(*token);
  if (threadIdx.x == 0) {
    while (seen.load(cuda::memory_order_acquire) != static_cast<int>(blockIdx.x)) {
    }
    seen.store(static_cast<int>(blockIdx.x) + 1, cuda::memory_order_release);
    seen.wait(static_cast<int>(blockIdx.x), cuda::memory_order_acquire);
    semaphore->acquire();
    *total += static_cast<int>(blockIdx.x);
    semaphore->release();
  }
}

__global__ void make_semaphore(cuda::binary_semaphore<cuda::thread_scope_device>* semaphore) {
  new (semaphore) cuda::binary_semaphore<cuda::thread_scope_device>(1);
}

int main() {
  constexpr int tiles = 9;
  const Shared<int> in(tiles * tile);
  int sum = 0;
  for (std::size_t i = 0; i < in.all().size(); ++i) {
    in[i] = static_cast<int>(i * 17 % 101);
    sum += in[i];
  }
  const Shared<int> out(4);
  hand_over<<<1, threads>>>(in.get(), out.get(), tiles);
  stage<<<1, threads>>>(in.get(), out.get() + 1, tiles);
  finish();
  expect(out[0] == sum, "tiles handed over at barriers");
  expect(out[1] == sum, "tiles copied in a pipeline");

  constexpr int blocks = 12;
  void* memory = nullptr;
  check(cudaMalloc(&memory, sizeof(cuda::binary_semaphore<cuda::thread_scope_device>)));
  auto* const semaphore = static_cast<cuda::binary_semaphore<cuda::thread_scope_device>*>(memory);
  make_semaphore<<<1, 1>>>(semaphore);
  pass_on<<<blocks, 32>>>(out.get() + 2, out.get() + 3, semaphore);
  finish();
  expect(out[2] == blocks && out[3] == blocks * (blocks - 1) / 2, "blocks that pass a token on");
  check(cudaFree(memory));
  std::puts("barriers: as expected");
}
