// Each thread copies past its registers, several stages ahead of what it adds up: the copies of all stages
// but one are on their way.
#include "kernel/copy_async.hpp"
#include "ring.hpp"

namespace {
constexpr int copies = 4;  // of a thread for a stage
constexpr int most_threads = 256;
constexpr int kibibytes_of_warp = copies * model::warp_size * static_cast<int>(sizeof(uint4)) / 1024;

// [kernel]
/// A block on each multiprocessor goes through the pieces of a stage's size. A thread reads what it has
/// copied itself, and so meets no other.
template <int stages>
__global__ __launch_bounds__(most_threads) void sum_stages(const uint4* __restrict__ in,
                                                           std::uint32_t* __restrict__ sums,
                                                           std::int64_t pieces) {
  extern __shared__ uint4 ring[];
  const int threads = static_cast<int>(blockDim.x);
  const int size = threads * copies;
  const auto copy = [&](std::int64_t piece, int stage) {
    if (piece < pieces) {
#pragma unroll
      for (int i = 0; i < copies; ++i) {
        const int place = threads * i + static_cast<int>(threadIdx.x);
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
#pragma unroll
    for (int i = 0; i < copies; ++i)
      sum += sum_of_four(ring[stage * size + threads * i + static_cast<int>(threadIdx.x)]);
    copy(piece + std::int64_t{stages} * gridDim.x, stage);
    stage = stage + 1 < stages ? stage + 1 : 0;
  }
  store_sum_of_warp(sum, sums, blockDim.x / 32);
}
// [kernel]

auto kernel_of(int stages) {
  if (stages == 1) return sum_stages<1>;
  if (stages == 2) return sum_stages<2>;
  if (stages == 3) return sum_stages<3>;
  if (stages == 4) return sum_stages<4>;
  if (stages == 6) return sum_stages<6>;
  return sum_stages<8>;
}

void launch(cudaStream_t stream, const Staged& staged, const uint4* in, std::uint32_t* sums) {
  const auto threads = static_cast<unsigned>(staged.warps * model::warp_size);
  launch_with_ring(staged, stream, kernel_of(staged.stages), threads, in, sums, staged.pieces);
}

/// Behind its copies a warp is issued loads that no lane executes: the compiler puts them there. If there is
/// one stage, it does so once more before the loop.
model::Prediction predict(const Staged& staged) {
  constexpr int idle_loads = 3;
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
  for (const Setting& setting :
       Axes().with("stages", {4, 1, 2, 3, 6, 8}).with("kibibytes", {16, 4, 8}).settings()) {
    add(sum_in_stages("async-copy", setting, setting.number("kibibytes") / kibibytes_of_warp, launch,
                      predict));
  }
}
