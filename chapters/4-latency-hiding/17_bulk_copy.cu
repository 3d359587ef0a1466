// One thread asks for whole stages, which a unit of the hardware copies; the other warps add up what has
// arrived.
#include "kernel/tma.hpp"  // sm_90
#include "ring.hpp"

namespace {
constexpr int adding_warps = 8;
constexpr int adding_threads = adding_warps * model::warp_size;
constexpr dim3 bulk_block{adding_threads + model::warp_size};
constexpr int most_stages = 8;

/// Sends for some bytes, a multiple of 16, that lie one behind the other.
// NOLINTNEXTLINE(misc-const-correctness): the hardware writes there
__device__ void load_bytes(void* shared, const void* from, unsigned bytes, TransferBarrier& arrival) {
#if __CUDA_ARCH__ >= 900
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_address(shared)),
      "l"(from), "r"(bytes), "r"(shared_address(&arrival))
      : "memory");
#endif
}

/// The stage that is next in the ring, and the parity of its phase.
struct Place {
  int stage = 0;
  unsigned parity = 0;

  __device__ void advance(int stages) {
    if (++stage < stages) return;
    stage = 0;
    parity ^= 1;
  }
};

// [kernel]
/// @tparam fours that an adding thread takes of a stage
template <int fours>
__global__ __launch_bounds__(bulk_block.x) void sum_bulk(const uint4* __restrict__ in,
                                                         std::uint32_t* __restrict__ sums,
                                                         std::int64_t pieces, int stages) {
  extern __shared__ uint4 ring[];
  __shared__ TransferBarrier arrived[most_stages];
  __shared__ TransferBarrier left[most_stages];
  constexpr int size = fours * adding_threads;
  constexpr unsigned bytes = size * sizeof(uint4);
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < stages; ++stage) {
      initialize(arrived[stage], 1);
      initialize(left[stage], adding_warps);
    }
    publish_barriers();
  }
  __syncthreads();

  Place place;
  if (threadIdx.x >= adding_threads) {  // the producer
    if (threadIdx.x > adding_threads) return;
    for (std::int64_t piece = blockIdx.x; piece < pieces; piece += gridDim.x) {
      if (piece >= std::int64_t{stages} * gridDim.x) wait(left[place.stage], place.parity ^ 1);
      arrive_expecting(arrived[place.stage], bytes);
      load_bytes(&ring[std::int64_t{place.stage} * size], &in[piece * size], bytes, arrived[place.stage]);
      place.advance(stages);
    }
    return;
  }
  std::uint32_t sum = 0;
#pragma unroll 1
  for (std::int64_t piece = blockIdx.x; piece < pieces; piece += gridDim.x) {
    wait(arrived[place.stage], place.parity);
#pragma unroll
    for (int i = 0; i < fours; ++i) {
      sum += sum_of_four(ring[place.stage * size + adding_threads * i + static_cast<int>(threadIdx.x)]);
    }
    // So the arrival comes after the reads of all lanes; racecheck sees this of the arriving lane alone.
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive(left[place.stage]);
    place.advance(stages);
  }
  store_sum_of_warp(sum, sums, adding_warps);
}
// [kernel]

void launch(cudaStream_t stream, const Staged& staged, const uint4* in, std::uint32_t* sums) {
  const auto kernel = staged.kibibytes == 4 ? sum_bulk<1> : staged.kibibytes == 8 ? sum_bulk<2> : sum_bulk<4>;
  launch_with_ring(staged, stream, kernel, bulk_block, in, sums, staged.pieces, staged.stages);
}

/// The copies are no loads of a warp.
model::Prediction predict(const Staged& staged) {
  return model::Prediction{}
      .shared_load(staged.words() / 4 / model::warp_size, 16, own_lane)
      .global_store(staged.blocks * adding_warps, 4, first_lane);
}
}  // namespace

void weft::register_steps() {
  const Axes axes = Axes().with("stages", {4, 1, 2, 3, 6, most_stages}).with("kibibytes", {16, 4, 8});
  for (const Setting& setting : axes.settings())
    add(sum_in_stages("bulk-copy", setting, adding_warps, launch, predict));
}
