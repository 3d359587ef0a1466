// What depends on the order of blocks, and what does not: the bits of the results, to be the same in every
// run.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "check.hpp"

namespace {

constexpr int blocks = 61;
constexpr int threads = 192;

/// The rounding depends on the order.
__global__ void sum(float* total) {
  atomicAdd(total, 1.0F / static_cast<float>(blockIdx.x * blockDim.x + threadIdx.x + 1));
}

/// Who comes first gets the first ticket.
__global__ void draw_tickets(unsigned* next, unsigned* tickets) {
  if (threadIdx.x == 0) tickets[blockIdx.x] = atomicAdd(next, 1U);
}

/// Counts by remainder, first those of a block.
__global__ void count(const unsigned* in, unsigned* counts, unsigned kinds) {
  extern __shared__ unsigned own[];
  for (unsigned i = threadIdx.x; i < kinds; i += blockDim.x) own[i] = 0;
  __syncthreads();
  atomicAdd(&own[in[blockIdx.x * blockDim.x + threadIdx.x] % kinds], 1U);
  __syncthreads();
  for (unsigned i = threadIdx.x; i < kinds; i += blockDim.x) atomicAdd(&counts[i], own[i]);
}

/// The largest, by compare-and-swap.
__global__ void find_largest(const unsigned* in, double* largest) {
  auto* const bits = reinterpret_cast<unsigned long long*>(largest);
  const double mine = 1.0 / (1 + in[blockIdx.x * blockDim.x + threadIdx.x]);
  unsigned long long seen = *bits;
  while (__longlong_as_double(static_cast<long long>(seen)) < mine) {
    const unsigned long long before =
        atomicCAS(bits, seen, static_cast<unsigned long long>(__double_as_longlong(mine)));
    if (before == seen) break;
    seen = before;
  }
}

/// Sums of neighbours, through shared memory; nothing depends on any order.
__global__ void smooth(const unsigned* in, float* out) {
  __shared__ float tile[threads + 2];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned all = gridDim.x * blockDim.x;
  tile[threadIdx.x + 1] = static_cast<float>(in[i]);
  if (threadIdx.x == 0) tile[0] = static_cast<float>(in[(i + all - 1) % all]);
  if (threadIdx.x == threads - 1) tile[threads + 1] = static_cast<float>(in[(i + 1) % all]);
  __syncthreads();
  out[i] = (tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2]) / 3.0F;
}

/// Prints a hash of the bytes: FNV-1a.
template <class T>
void print(const char* name, const Shared<T>& values) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const std::byte byte : std::as_bytes(values.all())) {
    hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3U;
  }
  std::printf("%s %016llx\n", name, static_cast<unsigned long long>(hash));
}

}  // namespace

int main() {
  constexpr std::size_t all = std::size_t{blocks} * threads;
  constexpr unsigned kinds = 37;
  const Shared<unsigned> in(all);
  for (std::size_t i = 0; i < all; ++i) in[i] = static_cast<unsigned>(i * 2654435761U >> 9);
  const Shared<float> total(1);
  const Shared<unsigned> next(1);
  const Shared<unsigned> tickets(blocks);
  const Shared<unsigned> counts(kinds);
  const Shared<double> largest(1);
  const Shared<float> smoothed(all);
  sum<<<blocks, threads>>>(total.get());
  draw_tickets<<<blocks, threads>>>(next.get(), tickets.get());
  count<<<blocks, threads, kinds * sizeof(unsigned)>>>(in.get(), counts.get(), kinds);
  find_largest<<<blocks, threads>>>(in.get(), largest.get());
  smooth<<<blocks, threads>>>(in.get(), smoothed.get());
  finish();
  unsigned counted = 0;
  for (const unsigned one : counts.all()) counted += one;
  expect(counted == all, "everything is counted once");
  expect(next[0] == blocks, "every block has a ticket");
  expect(largest[0] == 1.0, "the largest is found");
  print("sum", total);
  print("tickets", tickets);
  print("counts", counts);
  print("largest", largest);
  print("smoothed", smoothed);
}
