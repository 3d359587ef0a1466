// Cooperative groups: tiles, coalesced threads, partitions, reductions and scans over them, copies, the whole
// grid.

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "check.hpp"

namespace cg = cooperative_groups;

__global__ void tiles(int* sums, int* scans, int* shuffled) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  const int value = static_cast<int>(block.thread_rank());
  sums[value] = cg::reduce(tile, value, cg::plus<int>());
  scans[value] = cg::inclusive_scan(tile, value, cg::plus<int>());
  shuffled[value] = tile.shfl_xor(value, 3) + 1000 * static_cast<int>(tile.meta_group_rank());
}

__global__ void coalesced(int* ranks, int* sums) {
  const int i = static_cast<int>(threadIdx.x);
  ranks[i] = -1;
  if (i % 3 == 1) {
    const auto group = cg::coalesced_threads();
    ranks[i] = static_cast<int>(group.thread_rank());
    sums[i] = cg::reduce(group, i, cg::plus<int>());
  }
}

__global__ void partitions(int* by_label, unsigned* by_half) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int label = static_cast<int>(warp.thread_rank()) % 5;
  const auto same = cg::labeled_partition(warp, label);
  by_label[threadIdx.x] = cg::reduce(same, static_cast<int>(threadIdx.x), cg::plus<int>());
  const auto half = cg::binary_partition(warp, warp.thread_rank() < 10);
  by_half[threadIdx.x] = half.size() * 100 + half.thread_rank();
}

/// One atomic for all lanes that come together.
__device__ int add_together(int* counter) {
  const auto group = cg::coalesced_threads();
  int start = 0;
  if (group.thread_rank() == 0) start = atomicAdd(counter, static_cast<int>(group.size()));
  return group.shfl(start, 0) + static_cast<int>(group.thread_rank());
}
__global__ void keep_odd(const int* in, int* out, int* counter, int n) {
  for (auto i = blockIdx.x * blockDim.x + threadIdx.x; i < static_cast<unsigned>(n);
       i += gridDim.x * blockDim.x) {
    if (in[i] % 2 != 0) out[add_together(counter)] = in[i];
  }
}

/// A tile of more than one warp, and a copy that the group makes together.
__global__ void copies(const int* in, int* out) {
  __shared__ int staged[256];
  __shared__ cg::block_tile_memory<128> scratch;
  const auto block = cg::this_thread_block(scratch);
  cg::memcpy_async(block, staged, in + blockIdx.x * 256, sizeof staged);
  cg::wait(block);
  const auto tile = cg::tiled_partition<64>(block);
  const int pair = staged[2 * threadIdx.x] + staged[2 * threadIdx.x + 1];
  const int sum = cg::reduce(tile, pair, cg::plus<int>());
  if (tile.thread_rank() == 0) out[blockIdx.x * 2 + tile.meta_group_rank()] = sum;
}

/// Jacobi's iteration: all blocks meet after each step.
__global__ void relax(float* from, float* to, int n, int steps) {
  const auto grid = cg::this_grid();
  for (int step = 0; step < steps; ++step) {
    for (auto i = grid.thread_rank(); i < static_cast<unsigned>(n); i += grid.size()) {
      const float left = i > 0 ? from[i - 1] : 1.0F;
      const float right = i + 1 < static_cast<unsigned>(n) ? from[i + 1] : 0.0F;
      to[i] = 0.5F * (left + right);
    }
    grid.sync();
    float* const kept = from;
    from = to;
    to = kept;
  }
}

__global__ void ask_grid(bool* valid) { *valid = cg::this_grid().is_valid(); }

constexpr int threads = 128;

static void check_tiles() {
  const Shared<int> out(3 * threads);
  tiles<<<1, threads>>>(out.get(), out.get() + threads, out.get() + 2 * threads);
  finish();
  for (int i = 0; i < threads; ++i) {
    const int first = i / 8 * 8;
    const int rank = i % 8;
    expect(out[i] == 8 * first + 28, "a tile's sum");
    expect(out[threads + i] == (rank + 1) * first + rank * (rank + 1) / 2, "a tile's scan");
    expect(out[2 * threads + i] == (i ^ 3) + 1000 * (i / 8), "a tile's shuffle");
  }
}

static void check_coalesced_threads() {
  const Shared<int> out(2 * threads);
  coalesced<<<1, threads>>>(out.get(), out.get() + threads);
  finish();
  for (int i = 0; i < threads; ++i) {
    int rank = 0;
    int sum = 0;
    for (int other = i / 32 * 32; other < i / 32 * 32 + 32; ++other) {
      if (other % 3 != 1) continue;
      rank += other < i ? 1 : 0;
      sum += other;
    }
    expect(out[i] == (i % 3 == 1 ? rank : -1), "the rank among coalesced threads");
    expect(out[threads + i] == (i % 3 == 1 ? sum : 0), "the sum over coalesced threads");
  }
}

static void check_partitions() {
  const Shared<int> labels(threads);
  const Shared<unsigned> halves(threads);
  partitions<<<1, threads>>>(labels.get(), halves.get());
  finish();
  for (int i = 0; i < threads; ++i) {
    int sum = 0;
    for (int lane = 0; lane < 32; ++lane) sum += lane % 5 == i % 32 % 5 ? i / 32 * 32 + lane : 0;
    const unsigned lane = static_cast<unsigned>(i) % 32;
    expect(labels[i] == sum, "a sum by label");
    expect(halves[i] == (lane < 10 ? 1000 + lane : 2200 + lane - 10), "two halves");
  }
}

static void check_atomics() {
  constexpr int n = 10'000;
  const Shared<int> in(n);
  const Shared<int> out(n);
  const Shared<int> counter(1);
  int odd = 0;
  long sum = 0;
  for (int i = 0; i < n; ++i) {
    in[i] = i * 31 % 1000;
    odd += in[i] % 2;
    sum += in[i] % 2 * in[i];
  }
  keep_odd<<<20, 128>>>(in.get(), out.get(), counter.get(), n);
  finish();
  expect(counter[0] == odd, "how many are odd");
  for (int i = 0; i < odd; ++i) sum -= out[i];
  expect(sum == 0, "the odd ones");
}

static void check_copies() {
  const Shared<int> in(4 * 256);
  const Shared<int> out(8);
  for (int i = 0; i < 1024; ++i) in[i] = i;
  copies<<<4, 128>>>(in.get(), out.get());
  finish();
  for (int i = 0; i < 8; ++i) expect(out[i] == 128 * 128 * i + 127 * 64, "sums over two warps");
}

static void check_grid() {
  int n = 5000;
  int steps = 21;
  const Shared<float> a(n);
  const Shared<float> b(n);
  float* from = a.get();
  float* to = b.get();
  void* arguments[] = {&from, &to, &n, &steps};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(&relax), dim3(37), dim3(96), arguments, 0,
                                    nullptr));
  finish();
  std::vector<float> here(n);
  std::vector<float> next(n);
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < n; ++i) {
      next[i] = 0.5F * ((i > 0 ? here[i - 1] : 1.0F) + (i + 1 < n ? here[i + 1] : 0.0F));
    }
    here.swap(next);
  }
  for (int i = 0; i < n; ++i) expect(b[i] == here[i], "steps of the whole grid");

  const Shared<bool> valid(2);
  bool* place = valid.get();
  void* one[] = {&place};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(&ask_grid), dim3(1), dim3(1), one, 0, nullptr));
  ask_grid<<<1, 1>>>(valid.get() + 1);
  finish();
  expect(valid[0] && !valid[1], "a grid is valid in a cooperative launch alone");
}

int main() {
  check_tiles();
  check_coalesced_threads();
  check_partitions();
  check_atomics();
  check_copies();
  check_grid();
  std::puts("groups: as expected");
}
