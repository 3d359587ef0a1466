// A thread reads what a thread of the next warp has copied: each stage takes two barriers.
//
// Exercise: In the step async-copy a thread reads what it has copied itself. Here it reads what the thread
// with the same lane number in the next warp has copied. Which two barriers does the loop need, and what
// goes wrong without each of them?

#include "kernel/copy_async.hpp"
#include "ring.hpp"

namespace {
constexpr int copies = 4;  // of a thread for a stage
constexpr int threads = 256;
constexpr int kibibytes = threads * copies * static_cast<int>(sizeof(uint4)) / 1024;

// [kernel]
template <int stages>
__global__ __launch_bounds__(threads) void sum_of_neighbours(const uint4* __restrict__ in,
                                                             std::uint32_t* __restrict__ sums,
                                                             std::int64_t pieces) {
  extern __shared__ uint4 ring[];
  constexpr int size = threads * copies;
  const int own = static_cast<int>(threadIdx.x);
  const int neighbour = (own + 32) % threads;
  const auto copy = [&](std::int64_t piece, int stage) {
    if (piece < pieces) {
#pragma unroll
      for (int i = 0; i < copies; ++i) {
        const int place = threads * i + own;
        copy_async(&ring[stage * size + place], &in[piece * size + place], true);
      }
    }
    __pipeline_commit();
  };
#pragma unroll
  for (int stage = 0; stage < stages; ++stage) copy(blockIdx.x + std::int64_t{stage} * gridDim.x, stage);
  std::uint32_t sum = 0;
  int stage = 0;
#pragma unroll 1
  for (std::int64_t piece = blockIdx.x; piece < pieces; piece += gridDim.x) {
    __pipeline_wait_prior(stages - 1);
    __syncthreads();  // the neighbour's copies have arrived, too: it has waited for them
#pragma unroll
    for (int i = 0; i < copies; ++i) sum += sum_of_four(ring[stage * size + threads * i + neighbour]);
    __syncthreads();  // all have read the stage, which may be filled again
    copy(piece + std::int64_t{stages} * gridDim.x, stage);
    stage = stage + 1 < stages ? stage + 1 : 0;
  }
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(~0U, sum, apart);
  if (own % 32 == 0) sums[(std::int64_t{blockIdx.x} * threads + neighbour) / 32] = sum;
}
// [kernel]

void launch(cudaStream_t stream, const Staged& staged, const uint4* in, std::uint32_t* sums) {
  const auto kernel = staged.stages == 1 ? sum_of_neighbours<1> : sum_of_neighbours<4>;
  launch_with_ring(staged, stream, kernel, dim3{threads}, in, sums, staged.pieces);
}

model::Prediction predict(const Staged& staged) {
  constexpr int idle_loads = 3;  // no lane executes them: the compiler puts them behind a stage's copies
  const std::int64_t requests = staged.words() / 4 / model::warp_size;
  const std::int64_t before = staged.stages == 1 ? staged.blocks : 0;
  return model::Prediction{}
      .global_load(requests, 16, own_lane)
      .shared_load(requests, 16, own_lane)
      .skipped_shared_load((staged.pieces + before) * staged.warps * idle_loads)
      .global_store(staged.blocks * staged.warps, 4, first_lane);
}
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("stages", {4, 1}).with("kibibytes", {kibibytes}).settings())
    add(sum_in_stages("neighbours-copies", setting, threads / 32, launch, predict));
}
