// Kernels made wrong on purpose, one mistake each, and kernels that look wrong and are right: `mutants NAME`
// runs one.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

#include "../check.hpp"

namespace {

constexpr int threads = 64;

__global__ void write_behind(int* data) { data[threadIdx.x + 1] = 1; }

__global__ void read_misaligned(const char* data, int* out) {
  out[threadIdx.x] = *reinterpret_cast<const int*>(data + std::size_t{4} * threadIdx.x + 2);
}

__global__ void copy(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }

__global__ void branch_by(const int* in, int* out) {
  if (in[threadIdx.x] > 3) out[threadIdx.x] = 1;
}

__global__ void read_shared_behind(int* out) {
  extern __shared__ int words[];
  words[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = words[threadIdx.x + 1];
}

__global__ void read_shared_unwritten(int* out) {
  __shared__ int words[threads];
  if (threadIdx.x != 5) words[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = words[threads - 1 - threadIdx.x];
}

__global__ void pass_on_unwritten(int* out) {
  __shared__ int words[threads];
  words[threadIdx.x] = words[threadIdx.x] + 1;
  __syncthreads();
  out[threadIdx.x] = words[threads - 1 - threadIdx.x];
}

// [race]
__global__ void read_too_early(int* out) {
  __shared__ int words[threads];
  words[threadIdx.x] = 0;
  __syncthreads();
  words[threadIdx.x] = static_cast<int>(threadIdx.x) + 1;
  out[threadIdx.x] = words[threads - 1 - threadIdx.x];
}
// [race]

__global__ void write_too_early(int* out) {
  __shared__ int words[threads];
  words[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  const int other = words[threads - 1 - threadIdx.x];
  words[threadIdx.x] = 2 * other + 1;
  __syncthreads();
  out[threadIdx.x] = words[threadIdx.x];
}

__global__ void write_one_place(int* out) {
  __shared__ int word;
  if (threadIdx.x % 32 == 0) word = static_cast<int>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = word;
}

__global__ void write_one_place_at_once(int* out) {
  __shared__ int word;
  word = static_cast<int>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = word;
}

__global__ void forget_syncwarp(int* out) {
  __shared__ int words[threads];
  words[threadIdx.x] = static_cast<int>(threadIdx.x);
  out[threadIdx.x] = words[threadIdx.x ^ 1];
}

__global__ void divergent_barrier(int* out) {
  if (threadIdx.x % 2 == 0) __syncthreads();
  out[threadIdx.x] = 1;
}

__global__ void atomic_and_plain(int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1);
  if (threadIdx.x == 40) out[0] = sum;
}

__global__ void unknown_instruction(int* out) {
  int sum = 0;  // NOLINT(misc-const-correctness): the instruction writes it
  asm volatile("mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {%0, %0}, {%1}, {%1}, {%0, %0};"
               : "+r"(sum)
               : "r"(1));
  out[threadIdx.x] = sum;
}

// Right, though it may not look so.

__global__ void warps_apart(int* out) {
  __shared__ int words[threads];
  words[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncwarp();
  out[threadIdx.x] = words[threadIdx.x ^ 1];
}

__global__ void named_barrier(int* out) {
  __shared__ int words[threads];
  words[threadIdx.x] = static_cast<int>(threadIdx.x);
  asm volatile("barrier.sync 3, 64;" ::: "memory");
  out[threadIdx.x] = words[threads - 1 - threadIdx.x];
}

__global__ void lock(int* out) {
  __shared__ int taken;
  __shared__ int sum;
  if (threadIdx.x == 0) taken = sum = 0;
  __syncthreads();
  for (bool done = false; !done;) {
    if (atomicCAS(&taken, 0, 1) == 0) {
      __threadfence_block();
      sum = sum + 1;
      __threadfence_block();
      atomicExch(&taken, 0);
      done = true;
    }
  }
  __syncthreads();
  out[threadIdx.x] = sum;
}

__global__ void same_flag(int* out) {
  __shared__ int flag;
  flag = 7;
  __syncthreads();
  out[threadIdx.x] = flag;
}

__global__ void histogram(int* out) {
  __shared__ int bins[8];
  if (threadIdx.x < 8) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x % 8], 1);
  __syncthreads();
  if (threadIdx.x < 8) out[threadIdx.x] = bins[threadIdx.x];
}

__global__ void bytes_apart(int* out) {
  __shared__ unsigned char bytes[threads];
  bytes[threadIdx.x] = static_cast<unsigned char>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = bytes[threads - 1 - threadIdx.x];
}

/// Loads ahead, and chooses later.
__global__ void load_ahead(int* out) {
  __shared__ int words[2 * threads];
  words[threadIdx.x] = 1;
  __syncthreads();
  const volatile int* const ahead = words;
  const int mine = ahead[threadIdx.x];
  const int behind = ahead[threadIdx.x + threads];
  out[threadIdx.x] = out == nullptr ? behind : mine;
}

__device__ __noinline__ int twice(int number) { return 2 * number; }

/// Calls a function between the two.
__global__ void call_ahead(int* out) {
  __shared__ int words[2 * threads];
  words[threadIdx.x] = 1;
  __syncthreads();
  const volatile int* const ahead = words;
  const int behind = ahead[threadIdx.x + threads];
  const int mine = twice(ahead[threadIdx.x]);
  out[threadIdx.x] = out == nullptr ? behind : mine;
}

/// A structure's members are written, and all of it is copied: what lies between them never was.
__global__ void copy_with_gap(int* out) {
  struct Member {
    int key;
    long long value;
  };
  __shared__ Member members[threads];
  __shared__ ulonglong2 copies[threads];
  members[threadIdx.x].key = static_cast<int>(threadIdx.x);
  members[threadIdx.x].value = 1;
  __syncthreads();
  copies[threadIdx.x] = reinterpret_cast<const ulonglong2*>(members)[threads - 1 - threadIdx.x];
  const ulonglong2 copy = reinterpret_cast<const ulonglong2*>(members)[threadIdx.x];
  __syncthreads();
  if (static_cast<int>(copy.x) < threads / 2) out[threadIdx.x] = static_cast<int>(copy.y);
}

/// What lies behind is compared, too, but does not matter.
__global__ void compare_ahead(int* out) {
  __shared__ int words[2 * threads];
  words[threadIdx.x] = 1;
  __syncthreads();
  const volatile int* const ahead = words;
  const int behind = ahead[threadIdx.x + threads];
  const bool is_mine = threadIdx.x < threads;
  if (!(is_mine | (behind > 0)) | ((out == nullptr) & (behind < 0))) out[threadIdx.x] = 0;
  out[threadIdx.x] = (is_mine ? 0 : behind) & 1;
}

/// A warp sums up more words than there are, and keeps the sums that nobody asks for.
__global__ void sum_ahead(int* out) {
  __shared__ int sums[32];
  if (threadIdx.x < 2) sums[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x < 32) {
    int sum = sums[threadIdx.x];
    for (int i = 1; i < 32; i *= 2) {
      const int other = __shfl_up_sync(~0U, sum, i);
      if (threadIdx.x >= i) sum += other;
    }
    sums[threadIdx.x] = sum;
  }
  __syncthreads();
  out[threadIdx.x] = sums[threadIdx.x / 32];
}

struct Buffers {
  int* in = nullptr;
  int* out = nullptr;
  Buffers() {
    check(cudaMalloc(&in, threads * sizeof(int)));
    check(cudaMalloc(&out, threads * sizeof(int)));
  }
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;
  ~Buffers() {
    cudaFree(in);
    cudaFree(out);
  }
};

struct Kernel {
  const char* name;
  void (*run)(int* out);
};

constexpr Kernel kernels[] = {{"read_shared_unwritten", read_shared_unwritten},
                              {"pass_on_unwritten", pass_on_unwritten},
                              {"read_too_early", read_too_early},
                              {"write_too_early", write_too_early},
                              {"write_one_place", write_one_place},
                              {"write_one_place_at_once", write_one_place_at_once},
                              {"forget_syncwarp", forget_syncwarp},
                              {"divergent_barrier", divergent_barrier},
                              {"atomic_and_plain", atomic_and_plain},
                              {"unknown_instruction", unknown_instruction},
                              {"warps_apart", warps_apart},
                              {"named_barrier", named_barrier},
                              {"lock", lock},
                              {"same_flag", same_flag},
                              {"histogram", histogram},
                              {"bytes_apart", bytes_apart},
                              {"load_ahead", load_ahead},
                              {"call_ahead", call_ahead},
                              {"copy_with_gap", copy_with_gap},
                              {"compare_ahead", compare_ahead},
                              {"sum_ahead", sum_ahead}};

bool launch(const char* name, const Buffers& buffers) {
  const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
  for (const Kernel& kernel : kernels) {
    if (!is(kernel.name)) continue;
    kernel.run<<<1, threads>>>(buffers.out);
    return true;
  }
  if (is("write_behind")) {
    write_behind<<<1, threads>>>(buffers.out);
  } else if (is("read_misaligned")) {
    check(cudaMemset(buffers.in, 0, threads * sizeof(int)));
    read_misaligned<<<1, threads / 2>>>(reinterpret_cast<const char*>(buffers.in), buffers.out);
  } else if (is("read_unwritten")) {
    copy<<<1, threads>>>(buffers.in, buffers.out);
  } else if (is("branch_by_unwritten")) {
    branch_by<<<1, threads>>>(buffers.in, buffers.out);
  } else if (is("read_partly_unwritten")) {
    check(cudaMemset(buffers.in, 0, threads * sizeof(int) - 1));
    copy<<<1, threads>>>(buffers.in, buffers.out);
  } else if (is("copy_unwritten")) {  // what a copy of it holds was never written, either
    check(cudaMemset(buffers.out, 0, threads * sizeof(int)));
    check(cudaMemcpy(buffers.out, buffers.in, 4, cudaMemcpyDeviceToDevice));
    copy<<<1, threads>>>(buffers.out, buffers.in);
  } else if (is("read_shared_behind")) {
    read_shared_behind<<<1, threads, threads * sizeof(int)>>>(buffers.out);
  } else if (is("free_twice")) {
    int* memory = nullptr;
    check(cudaMalloc(&memory, 4));
    check(cudaFree(memory));
    std::printf("%s\n", cudaGetErrorName(cudaFree(memory)));
  } else if (is("free_inside")) {
    std::printf("%s\n", cudaGetErrorName(cudaFree(buffers.out + 1)));
  } else if (is("leak")) {
    int* memory = nullptr;
    check(cudaMalloc(&memory, 1234));
  } else {
    return false;
  }
  return true;
}

}  // namespace

int main(int argc, const char* const* argv) {
  const Buffers buffers;
  if (argc != 2 || !launch(argv[1], buffers)) return 2;
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
