// Threads that wait for each other by spinning: locks inside a warp and between blocks, a scan that looks
// back, a chain of semaphores. All of them must finish.

#include "check.hpp"

/// Not atomic: the lock makes it safe.
__device__ void increment(volatile int* counter) { *counter = *counter + 1; }

struct Mutex {
  int state;
  __device__ void lock() {
    while (atomicCAS(&state, 0, 1) != 0) {
    }
    __threadfence();
  }
  __device__ void unlock() {
    __threadfence();
    atomicExch(&state, 0);
  }
};

/// Every thread enters the critical section once: lanes of one warp fight for the lock.
__global__ void count_under_lock(Mutex* mutex, int* counter) {
  mutex->lock();
  increment(counter);
  mutex->unlock();
}

__global__ void count_under_shared_lock(int* out) {
  __shared__ Mutex mutex;
  __shared__ int counter;
  if (threadIdx.x == 0) {
    mutex.state = 0;
    counter = 0;
  }
  __syncthreads();
  mutex.lock();
  increment(&counter);
  mutex.unlock();
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = counter;
}

/// The careful form, which works before Volta, too.
__global__ void count_carefully(int* lock, int* counter) {
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      increment(counter);
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

/// A ticket lock with a pause that grows.
__global__ void count_with_tickets(unsigned* tickets, int* counter) {
  const unsigned mine = atomicAdd(&tickets[0], 1);
  unsigned pause = 8;
  while (*static_cast<volatile unsigned*>(&tickets[1]) != mine) {
#if __CUDA_ARCH__ >= 700
    __nanosleep(pause);
#endif
    pause = pause < 256 ? 2 * pause : pause;
  }
  increment(counter);
  __threadfence();
  *static_cast<volatile unsigned*>(&tickets[1]) = mine + 1;
}

/// A thread of the warp waits for another one, which has yet to come.
__global__ void wait_within_warp(int* out) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncwarp();
  if (threadIdx.x == 0) {
    while (flag == 0) {
    }
    out[0] = flag;
  }
  if (threadIdx.x == 31) flag = 42;
}

/// Decoupled look-back: each block adds up its items and what the blocks before it have found.
__global__ void scan(const int* in, int* out, volatile int* states, volatile int* sums,
                     volatile int* totals) {
  __shared__ int values[128];
  __shared__ int before;
  const auto i = blockIdx.x * blockDim.x + threadIdx.x;
  values[threadIdx.x] = in[i];
  __syncthreads();
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    const int other = threadIdx.x >= step ? values[threadIdx.x - step] : 0;
    __syncthreads();
    values[threadIdx.x] += other;
    __syncthreads();
  }
  const int block = static_cast<int>(blockIdx.x);
  if (threadIdx.x == 0) {
    const int own = values[blockDim.x - 1];
    sums[block] = own;
    __threadfence();
    states[block] = 1;
    int sum = 0;
    for (int b = block - 1; b >= 0; --b) {
      int state = 0;
      while ((state = states[b]) == 0) {
      }
      __threadfence();
      sum += state == 2 ? totals[b] : sums[b];
      if (state == 2) break;
    }
    totals[block] = sum + own;
    __threadfence();
    states[block] = 2;
    before = sum;
  }
  __syncthreads();
  out[i] = before + values[threadIdx.x];
}

/// As in stream-K: a block hands its partial result to the one before it, which waits for it.
__global__ void fold(volatile int* partials, int* flags, int* result) {
  const auto block = blockIdx.x;
  int value = static_cast<int>(block) + 1;
  if (block + 1 < gridDim.x) {
    if (threadIdx.x == 0) {
      while (atomicCAS(&flags[block + 1], 1, 2) != 1) {
      }
    }
    __syncthreads();
    __threadfence();
    value += partials[block + 1];
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    if (block == 0) {
      *result = value;
    } else {
      partials[block] = value;
      __threadfence();
      atomicExch(&flags[block], 1);
    }
  }
}

/// The last block to arrive adds up what all have found; the sum of floats depends on the order.
__global__ void sum_floats(float* total, unsigned* arrived, float* at_last) {
  __shared__ bool last;
  atomicAdd(total, 1.0F / static_cast<float>(blockIdx.x * blockDim.x + threadIdx.x + 1));
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicInc(arrived, gridDim.x) == gridDim.x - 1;
  __syncthreads();
  if (last && threadIdx.x == 0) *at_last = *static_cast<volatile float*>(total);
}

static void check_locks() {
  const Shared<int> words(4);
  auto* const mutex = reinterpret_cast<Mutex*>(words.get());
  count_under_lock<<<20, 96>>>(mutex, words.get() + 1);
  finish();
  expect(words[1] == 20 * 96, "a lock in global memory");
  count_carefully<<<20, 96>>>(words.get(), words.get() + 2);
  finish();
  expect(words[2] == 20 * 96, "a lock in its careful form");
}

static void check_shared_lock() {
  const Shared<int> counts(30);
  count_under_shared_lock<<<30, 64>>>(counts.get());
  finish();
  for (const int count : counts.all()) expect(count == 64, "a lock in shared memory");
}

static void check_tickets() {
  const Shared<unsigned> tickets(2);
  const Shared<int> counter(1);
  count_with_tickets<<<4, 64>>>(tickets.get(), counter.get());
  finish();
  expect(counter[0] == 4 * 64, "a ticket lock");
}

static void check_lanes() {
  const Shared<int> out(1);
  wait_within_warp<<<1, 32>>>(out.get());
  finish();
  expect(out[0] == 42, "a lane waits for a later one");
}

static void check_scan() {
  constexpr int blocks = 300;
  const Shared<int> in(std::size_t{blocks} * 128);
  const Shared<int> out(std::size_t{blocks} * 128);
  const Shared<int> states(std::size_t{3} * blocks);
  for (std::size_t i = 0; i < in.all().size(); ++i) in[i] = static_cast<int>(i * 7 % 13);
  scan<<<blocks, 128>>>(in.get(), out.get(), states.get(), states.get() + blocks,
                        states.get() + std::size_t{2} * blocks);
  finish();
  int sum = 0;
  for (std::size_t i = 0; i < in.all().size(); ++i) {
    sum += in[i];
    expect(out[i] == sum, "a scan that looks back");
  }
}

static void check_fold() {
  constexpr int blocks = 40;
  const Shared<int> partials(std::size_t{2} * blocks);
  const Shared<int> result(1);
  fold<<<blocks, 64>>>(partials.get(), partials.get() + blocks, result.get());
  finish();
  expect(result[0] == blocks * (blocks + 1) / 2, "blocks that wait for later ones");
}

static void check_last_block() {
  const Shared<float> sums(2);
  const Shared<unsigned> arrived(1);
  sum_floats<<<50, 256>>>(sums.get(), arrived.get(), sums.get() + 1);
  finish();
  expect(sums[0] == sums[1], "the last block sees the sum");
  std::printf("spinning: %a\n", static_cast<double>(sums[0]));
}

int main() {
  check_locks();
  check_shared_lock();
  check_tickets();
  check_lanes();
  check_scan();
  check_fold();
  check_last_block();
}
